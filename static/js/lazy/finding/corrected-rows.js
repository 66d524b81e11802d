/** Owns the rows in a finding's card that compare each recorded gradient with its corrected gradient. */

import { placeOfStep } from "../../run/places.js";
import { h } from "../../../vendor/ui.js";
import { awaitedRows, goesOn, isAboutIt, MOST_ROWS, rowsOf } from "../../run/values/corrected-gradients.js";
import { gradName } from "../../run/naming/naming.js";
import { correctedGradientsOf } from "../../session/follow-ups.js";
import { say, tell } from "../../state/words.js";
import { rich } from "../../panes/rich.js";

/** @import {Row} from "../../run/values/corrected-gradients.js" */
/** @import {Finding, CorrectedGradients} from "../../run/trace.d.ts" */
/** @import {Index, Sentence} from "../../run/types.d.ts" */

/**
 * The rows that compare recorded and corrected gradients. There are none if the page did not request
 * corrected gradients for this run, as for the other run of a comparison.
 * @param {{index: Index, finding: Finding}} props
 */
export function CorrectedRows({ index, finding }) {
  const right = correctedGradientsOf(index);
  if (right === undefined) return null;
  return h(
    "div",
    { class: "corrected", "aria-busy": right === null ? "true" : "false" },
    right === null ? h(Table, { rows: awaitedRows(index, finding) }) : answered(index, finding, right),
  );
}

/**
 * @param {Index} index
 * @param {Finding} finding
 * @param {CorrectedGradients} right
 */
function answered(index, finding, right) {
  if (right.kind === "same") return h("p", null, rich(say("right-same")));
  if (right.kind === "unknown") return h("p", null, rich(say(`right-unknown-${right.reason}`)));
  if (!isAboutIt(finding, right))
    return h("p", null, rich(say("right-later", { line: lineOf(index, right.step) })));
  return h(Table, { rows: rowsOf(index, right.gradients) });
}

/**
 * A sentence that says how the corrected gradients were computed. The text is the same before and after they
 * arrive, so that the layout does not move.
 * @param {{index: Index, finding: Finding}} props
 */
export function CorrectedSource({ index, finding }) {
  const right = correctedGradientsOf(index);
  const isAnswer = right?.kind === "right" && isAboutIt(finding, right);
  if (right === undefined || (right !== null && !isAnswer)) return null;
  const step = isAnswer ? right.step : (finding.steps?.at(-1) ?? -1);
  return [
    h("p", { key: "source", class: "after" }, rich(say("right-source", { line: lineOf(index, step) }))),
    isAnswer && goesOn(index, right)
      ? h("p", { key: "after", class: "after" }, rich(say("right-after")))
      : null,
  ];
}

/**
 * @param {Index} index
 * @param {number} step
 */
function lineOf(index, step) {
  return placeOfStep(index, step);
}

/** @param {{rows: Row[]}} props */
function Table({ rows }) {
  if (rows.length === 0) return null;
  const more = rows.length - MOST_ROWS;
  return [
    h(
      "table",
      { class: "comparison" },
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          ["gradient", "gave", "would"].map((column) =>
            h("th", { scope: "col", key: column }, say(`right-${column}`)),
          ),
        ),
      ),
      h(
        "tbody",
        null,
        rows.slice(0, MOST_ROWS).map((row, number) => h("tr", { key: number }, cells(row))),
      ),
    ),
    more > 0 ? h("p", { class: "after" }, say("right-more", { count: more })) : null,
  ];
}

/** @param {Row} row */
function cells({ name, is_grad, wrong, right, isSame }) {
  const shown = is_grad ? `\`${gradName(name)}\`` : say("right-of", { name: `\`${name}\`` });
  return [
    h("th", { scope: "row" }, rich(shown)),
    h("td", { class: isSame ? "same" : "differs" }, isSame || wrong === null ? null : "≠ ", value(wrong)),
    h("td", { class: "same" }, isSame ? say("right-unchanged") : value(right)),
  ];
}

/** @param {string | Sentence | null} shown */
function value(shown) {
  if (shown === null) return "…";
  return typeof shown === "string" ? h("code", null, shown) : tell(shown);
}
