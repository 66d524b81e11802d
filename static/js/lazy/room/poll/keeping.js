/** Copies revealed questions, with the tally of the class, into the teacher's lecture. */

import { effect } from "../../../../vendor/ui.js";
import { withChunk } from "../../../panes/chunks.js";
import { stepAddress } from "../../../run/stops/step-address.js";
import { room } from "../room.js";
import { around, isRevealed, poll, votes } from "./poll.js";
import { isWalkedBack } from "./poll-state.js";

/** @import {ShownStep} from "../../../io/lectures.js" */

/**
 * The maximum number of answers of a question that are copied. A lecture may have 30 questions and 1000
 * answers in total, which is 33 answers for each question.
 */
const MOST_ANSWERS = 33;

/** Starts the copying of revealed questions, which never stops. A note that is being typed is not changed. */
export function keepWhatIsRevealed() {
  effect(() => {
    const shown = answered();
    if (shown === null) return;
    withChunk("lecture", ({ keep }) => keep(shown));
  });
}

/**
 * The step of the current question with the class's answers, if the answer is revealed and the class has
 * answered; otherwise null.
 * @returns {ShownStep | null}
 */
function answered() {
  const [asked, run, counted] = [poll.value, around.value, votes.value];
  const link = room.value?.link.state.value.snippet;
  if (!isRevealed.value || asked === null || run === null || link === undefined) return null;
  if (counted === null || counted.tally === null || counted.tally.length === 0) return null;
  const { index, now, ahead } = run;
  const { k, stop } = isWalkedBack(asked.question.kind) ? ahead : now; // at the step of the question
  return {
    run: { source: index.source, stand_in: index.header.stand_in ?? false, snippet: link.id },
    at: stepAddress(index, k),
    line: stop.line,
    question: asked.question,
    tally: counted.tally.slice(0, MOST_ANSWERS),
  };
}
