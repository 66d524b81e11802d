/** Owns the question of prediction mode, shown in place of the story: what will the next step do? */

import { h } from "../../vendor/ui.js";
import { shortName } from "../run/format.js";
import { linesOf } from "../run/legible.js";
import { advance } from "../state/prediction.js";
import { say, tell } from "../state/words.js";
import { rich } from "./rich.js";

/** @import {Index, Sentence, Stop} from "../run/types.d.ts" */

/**
 * What runs next, without its result; an exception is not revealed.
 * @param {Index} index
 * @param {Stop} next
 * @returns {Sentence}
 */
export function announced(index, { kind, line, step }) {
  if (kind === "node")
    return { id: "predict-node", args: { node: shortName(index.nodes[step.node ?? -1]?.name ?? "?"), line } };
  if (kind === "operator") return { id: "predict-operator", args: { operator: step.name ?? "?", line } };
  return { id: "predict-line", args: { line } };
}

/** @param {{index: Index, k: number}} props `k`: the stop that is asked about */
export function Question({ index, k }) {
  const next = /** @type {Stop} */ (index.stops[k]);
  const topics =
    next.kind === "node"
      ? ["predict-gradient", "predict-saved", "predict-raise"]
      : ["predict-values", "predict-counters", "predict-graph", "predict-raise"];
  return h(
    "div",
    { class: "question" },
    h("p", null, rich(tell(announced(index, next)))),
    h("pre", null, h("code", null, linesOf(index, next.line, next.end_line))),
    h(
      "ul",
      null,
      topics.map((topic) => h("li", { key: topic }, say(topic))),
    ),
    h("button", { class: "button primary", type: "button", onClick: advance }, say("predict-show")),
  );
}
