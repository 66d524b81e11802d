/**
 * Owns the bar chart of the outcomes of variants: a sentence for each outcome, and the number of its
 * variants.
 */

import { h } from "../../../../vendor/ui.js";
import { Icon } from "../../../panes/icons.js";
import { plain, rich } from "../../../panes/rich.js";
import { legible, literal } from "../../../run/legible.js";
import { say, tell } from "../../../state/words.js";
import { shownClasses, variants } from "./collection.js";
import { endOf, lookOf } from "./variants-state.js";

/** @import {ComponentChildren} from "../../../../vendor/ui.js" */
/** @import {VariantClass} from "./variants-state.js" */

const ICONS = { well: "check", badly: "warning", stopped: "stop" };

/** @param {VariantClass} outcome */
export function sentenceOf(outcome) {
  return endOf(outcome, (text) => literal(legible(text)));
}

/** @param {VariantClass} outcome */
export function nameOf(outcome) {
  return plain(tell(sentenceOf(outcome)));
}

/** The number of variants that ran, announced to screen readers. */
export function Count() {
  return h(
    "p",
    { class: "poll-count", role: "status" },
    say("variants-count", { count: variants.value?.count ?? 0 }),
  );
}

/** @typedef {(of: VariantClass, words: ComponentChildren) => ComponentChildren} Row the content of a bar */

/**
 * The bar chart, or a note that the outcomes are hidden. `row` adds content to a bar, which by default
 * contains only the sentence.
 * @param {{row?: Row, children?: ComponentChildren}} props
 */
export function Bars({ row = (_, words) => words }) {
  const { rows, others } = shownClasses.value;
  const all = Math.max(1, variants.value?.count ?? 0);
  if (rows === null) return h("p", { class: "poll-hidden" }, say("variants-hidden"));
  return h(
    "ul",
    { class: "poll-bars variants-bars" },
    rows.map((outcome) =>
      h(
        "li",
        { key: outcome.id, class: lookOf(outcome), style: { "--share": outcome.count / all } },
        row(outcome, h(Words, { outcome })),
        h("b", { class: "poll-votes" }, outcome.count),
      ),
    ),
    others > 0
      ? h("li", { key: "others", class: "others" }, say("variants-others", { count: others }))
      : null,
  );
}

/** @param {{outcome: VariantClass}} props */
function Words({ outcome }) {
  return h(
    "span",
    { class: "poll-answer" },
    h(Icon, { name: ICONS[lookOf(outcome)], size: 16 }),
    h("span", null, rich(tell(sentenceOf(outcome)))),
  );
}
