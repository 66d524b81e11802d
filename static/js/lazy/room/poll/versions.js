/**
 * While the class searches for the write that made a tensor stale, shows the saved version of the tensor and
 * its version at a write.
 */

import { codeOf } from "../../../run/places.js";
import { h } from "../../../../vendor/ui.js";
import { versionOf } from "../../../run/questions/truth-lookups.js";
import { rich } from "../../../panes/rich.js";
import { tell } from "../../../state/words.js";
import { words } from "./question-words.js";

/** @import {Around} from "../../../panes/chunks.js" */
/** @import {Index, Sentence} from "../../../run/types.d.ts" */
/** @import {Question} from "../../../run/questions/asked.d.ts" */
/** @import {Poll} from "./poll-state.js" */

/** @param {{asked: Poll, run: Around}} props */
export function Versions({ asked, run: { index, ahead } }) {
  return [
    h("pre", { key: "code" }, h("code", null, codeOf(index, ahead.stop, true))),
    h("p", { key: "versions" }, rich(tell(versionsTold(index, asked.question, ahead.stop.place)))),
  ];
}

/**
 * The sentence with the version at which a tensor was saved, and the version of its counter after a line.
 * @param {Index} index
 * @param {Question} question
 * @param {number | string} line
 * @returns {Sentence}
 */
function versionsTold(index, { saved = -1, after, until }, line) {
  const record = index.saved_tensors[saved];
  const counter = record?.version_counter ?? -1;
  const [before, now] = [versionOf(index, counter, after), versionOf(index, counter, until)];
  const version = record?.version ?? null;
  const known = { ...words().slotOf(index, saved), line };
  if (version === null || before === null || now === null) return { id: "poll-version-unknown", args: known };
  return now === before
    ? { id: "poll-version-still", args: { ...known, version, now } }
    : { id: "poll-version-moved", args: { ...known, version, now } };
}
