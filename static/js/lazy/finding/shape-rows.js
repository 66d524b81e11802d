/**
 * Draws the two mismatched shapes of a finding in its card, one below the other, with a column for each
 * dimension.
 */

import { h } from "../../../vendor/ui.js";
import { rich } from "../../panes/rich.js";
import { say, tell } from "../../state/words.js";
import { shapeRows } from "./shapes.js";

/** @import {Finding} from "../../run/trace.d.ts" */
/** @import {Cell} from "./shapes.js" */

/** @param {{finding: Finding}} props */
export function ShapeRows({ finding }) {
  const rows = shapeRows(finding);
  if (rows.length === 0) return null;
  return h(
    "table",
    { class: "shapes", "aria-label": say("shapes-label") },
    h(
      "tbody",
      null,
      rows.map(({ name, cells }, number) =>
        h(
          "tr",
          { key: number },
          h("th", { scope: "row" }, rich(typeof name === "string" ? name : tell(name))),
          cells.map((cell, at) => h("td", { key: at, class: lookOf(cell) }, textOf(cell))),
        ),
      ),
    ),
  );
}

/** @param {Cell | null} cell */
function lookOf(cell) {
  return cell === null ? "absent" : cell.differs ? "differs" : cell.size === null ? "any" : "";
}

/** @param {Cell | null} cell */
function textOf(cell) {
  return cell === null ? null : `${cell.differs ? "≠ " : ""}${cell.size ?? say("shapes-any")}`;
}
