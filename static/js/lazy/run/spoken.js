/** Owns the announcement of a step for screen readers. */

import { rowsTaken } from "../../layout/memory-rows.js";
import { codeOf } from "../../run/places.js";
import { isAsking } from "../../state/prediction.js";
import { heldStops, isPlaying, played, state } from "../../state/store.js";
import { say, tell } from "../../state/words.js";
import { plain } from "../../panes/rich.js";
import { announced, posedPage, spokenResult } from "../../panes/story/question.js";
import { sentencesOf } from "../../panes/story/story.js";

/** @import {Index} from "../../run/types.d.ts" */

/**
 * The text about a step that screen readers announce. The text is empty while steps are played, because the
 * steps follow each other too quickly.
 */
export function spoken() {
  const now = state.value;
  const run = played.value;
  if (!now || !run || isPlaying.value) return "";
  const { index } = run;
  if (heldStops.value !== null) return posedPage.value?.spoken() ?? "";
  if (isAsking.value)
    return [say("predict-title", { step: now.k + 2 }), ...questionOf(index, now.k + 1)].join(" ");
  const sentences = [
    ...sentencesOf(index, now).slice(0, 3),
    ...rowsTaken(index, run.memory, now).slice(0, 1),
  ].map((sentence) => plain(tell(sentence)));
  const end = now.is_last ? [say(`end-${index.ended.kind}`, index.end_arguments)] : [];
  const at = say("spoken-step", { step: now.k + 1, line: now.stop.place });
  return [...spokenResult(), at, ...sentences, ...end].join(" ");
}

/**
 * @param {Index} index
 * @param {number} k
 */
function questionOf(index, k) {
  const next = index.stops[k];
  if (next === undefined) return [];
  return [plain(tell(announced(next))), codeOf(index, next)];
}
