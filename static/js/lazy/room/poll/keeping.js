/** Owns that what a class answered goes into the teacher's lecture: revealed questions with their tallies. */

import { effect } from "../../../../vendor/ui.js";
import { withChunk } from "../../../panes/chunks.js";
import { stepAddress } from "../../../run/stops/step-address.js";
import { room } from "../room.js";
import { around, isRevealed, poll, votes } from "./poll.js";
import { isWalkedBack } from "./poll-state.js";

/** @import {ShownStep} from "../../../io/lectures.js" */

/** Answers of one tally: a lecture takes 1000 of 30 questions. */
const MOST_ANSWERS = 33;

/** For the lifetime of the page, where the teacher sees it. A note that is being typed stays. */
export function keepWhatIsRevealed() {
  effect(() => {
    const shown = answered();
    if (shown === null) return;
    withChunk("lecture", ({ keep }) => keep(shown));
  });
}

/**
 * The step of the question that was revealed and answered; null: there is none.
 * @returns {ShownStep | null}
 */
function answered() {
  const [asked, run, counted] = [poll.value, around.value, votes.value];
  const link = room.value?.link.state.value.snippet;
  if (!isRevealed.value || asked === null || run === null || link === undefined) return null;
  if (counted === null || counted.tally === null || counted.tally.length === 0) return null;
  const { index, now, ahead } = run;
  const { k, stop } = isWalkedBack(asked.question.kind) ? ahead : now; // where it was asked
  return {
    run: { source: index.source, stand_in: index.header.stand_in ?? false, snippet: link.id },
    at: stepAddress(index, k),
    line: stop.line,
    question: asked.question,
    tally: counted.tally.slice(0, MOST_ANSWERS),
  };
}
