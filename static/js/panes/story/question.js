/** Owns the question of prediction mode about the next step. The question is shown instead of the story. */

import { codeOf } from "../../run/places.js";
import { effect, h, signal } from "../../../vendor/ui.js";
import { button } from "../buttons.js";
import { isPredicting } from "../../state/preferences.js";
import { advance, result } from "../../state/prediction.js";
import { say, tell } from "../../state/words.js";
import { withChunk } from "../chunks.js";
import { Icon } from "../icons.js";
import { plain, rich } from "../rich.js";

/** @import {ComponentType} from "../../../vendor/ui.js" */
/** @import {QuestionChunk} from "../chunks.js" */
/** @import {Index, Sentence, Stop} from "../../run/types.d.ts" */

/** @type {import("../../../vendor/ui.js").Signal<QuestionChunk | null>} */
const chunk = signal(null);

/**
 * @typedef {object} PosedPage a question that replaces the story, instead of prediction
 * @property {() => string} title
 * @property {ComponentType} Panel
 * @property {ComponentType} Outcome shown above the story after the answer
 * @property {() => string} spoken
 */
/** @type {import("../../../vendor/ui.js").Signal<PosedPage | null>} */
export const posedPage = signal(null);

/**
 * Loads the chunk for questions when prediction mode is turned on. If it cannot be loaded, the page still
 * states which step comes next.
 */
export function loadQuestions() {
  effect(() => {
    if (isPredicting.value && chunk.peek() === null)
      withChunk("question", (loaded) => (chunk.value = loaded));
  });
}

/**
 * The sentence that states which step comes next, without revealing which Node will run or whether an
 * exception will be raised.
 * @param {Stop} next
 * @returns {Sentence}
 */
export function announced({ kind, line, step }) {
  if (kind === "node") return { id: "predict-node", args: { line } };
  if (kind === "operator") return { id: "predict-operator", args: { operator: step.name ?? "?", line } };
  return { id: "predict-line", args: { line } };
}

/** @param {{index: Index, k: number}} props `k`: the stop in question */
export function Question({ index, k }) {
  const next = /** @type {Stop} */ (index.stops[k]);
  return h(
    "div",
    { class: "question" },
    h("p", null, rich(tell(announced(next)))),
    h("pre", null, h("code", null, codeOf(index, next, true))),
    chunk.value === null ? null : h(chunk.value.AskedQuestion, { index, k, key: k }),
    button({ onClick: advance }, say("predict-show")),
  );
}

/**
 * The result of a prediction: whether the given answer was correct, and the correct answer. The result is
 * shown at the step that proves the answer.
 */
export function Result() {
  const shown = result.value;
  if (shown === null) return null;
  return h(
    "div",
    { class: `answer-result ${shown.isRight ? "right" : "not-right"}` },
    h(Icon, { name: shown.isRight ? "check" : "cross", size: 18 }),
    h("div", null, h("p", null, rich(tell(shown.question))), h("p", null, rich(sentenceOf(shown)))),
  );
}

/** The result of a prediction, as text for screen readers. */
export function spokenResult() {
  return result.value === null ? [] : [plain(sentenceOf(result.value))];
}

/** @param {NonNullable<typeof result.value>} shown */
function sentenceOf({ isRight, given, truth }) {
  return tell(
    isRight ? { id: "answer-right", args: { truth } } : { id: "answer-wrong", args: { given, truth } },
  );
}
