/** Formats the values that the names in the code have at a step. */

import { namesOf, valueAt } from "../../run/naming/code-names.js";
import { shapeOf, shortDtype } from "../../run/values/format.js";
import { shown } from "../../run/values/shown.js";
import { plain } from "../../panes/rich.js";
import { textOf } from "../../panes/story/variables.js";
import { say } from "../../state/words.js";

/** @import {Peek} from "../../panes/code/code-pointer.js" */
/** @import {Place, Value} from "../../run/naming/code-names.js" */
/** @import {Index, State} from "../../run/types.d.ts" */

/** The maximum number of characters of a formatted value. */
const MOST = 60;

/**
 * The text of a value: shape, dtype, storage, version, and the elements of a small tensor.
 * @param {State} now
 * @param {Value} value
 */
function textOfValue(now, value) {
  if (value.kind === "unbound" || value.kind === "inactive") return say(`value-${value.kind}`);
  if (value.kind === "held") return `${textOf(value.held)} (${value.held.type})`;
  const tensor = now.tensors.get(value.tensor);
  const geometry = tensor?.geometry ?? null;
  if (tensor === undefined || geometry === null) return say("value-unbound");
  const { storage, dtype } = geometry;
  const shape = shapeOf(geometry);
  const elements = shown(geometry, now.storages.get(storage ?? -1)?.contents, MOST);
  return [
    shape,
    shortDtype(dtype),
    storage === null ? null : `S${storage}`,
    typeof tensor.version === "number" ? `v${tensor.version}` : null,
    elements === null || elements === shape ? null : elements,
  ]
    .filter((part) => part !== null)
    .join(" · ");
}

/**
 * The names at the given places in the code and their values at a step. Each name occurs once, and names
 * without a known value are left out.
 * @param {Index} index
 * @param {State} now
 * @param {Place[]} places
 */
function rowsOf(index, now, places) {
  const rows = new Map();
  for (const place of places) {
    const value = rows.has(place.path) ? null : valueAt(index, now, place);
    if (value !== null) rows.set(place.path, { name: plain(place.path), text: textOfValue(now, value) });
  }
  return [...rows.values()];
}

/**
 * The value of the name at a place in the code.
 * @param {Index} index
 * @param {State} now
 * @param {number} line
 * @param {number} column
 * @returns {Peek | null}
 */
export function valueAtPlace(index, now, line, column) {
  const place = namesOf(index)
    .get(line)
    ?.find(({ from, to }) => from <= column && column < to);
  const rows = place === undefined ? [] : rowsOf(index, now, [place]);
  return place === undefined || rows.length === 0 ? null : { line, column: place.from, rows };
}

/**
 * The values of all names in a line of code at a step; null: none is known.
 * @param {Index} index
 * @param {State} now
 * @param {number} line
 * @returns {Peek | null}
 */
export function valuesOnLine(index, now, line) {
  const places = namesOf(index).get(line) ?? [];
  const rows = rowsOf(index, now, places);
  return rows.length === 0 ? null : { line, column: places[0]?.from ?? 0, rows };
}
