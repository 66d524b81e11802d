/**
 * Draws the cells of a storage with their values, and marks written cells, wrong values and omitted cells.
 */

import { boxOfCell } from "../layout/cell-axes.js";
import { clip, element, itemsize } from "../run/values/format.js";
import { NOT } from "../run/values/wrong-gradients.js";
import { el } from "./svg.js";

/** @import {Box, StorageState, Strip} from "../run/types.d.ts" */
/** @import {WrongGrad} from "../run/values/wrong-gradients.js" */
/** @import {Scene} from "./memory-picture.js" */
/** @import {Cells} from "./storage.js" */
/** @import {Shape} from "./svg.js" */

/** The width in px of a character in cells with small text; stage.css sets its size. */
export const SMALL = 7.5;

/**
 * Draws the shown cells of a storage. In each place where cells are omitted, a shape with their number is
 * drawn.
 * @param {Scene["say"]} say
 * @param {Strip} strip
 * @param {StorageState} storage
 * @param {Cells} contents
 * @param {{wrong: WrongGrad | undefined, isOdd: ((text: string) => boolean) | null}} errors
 * @returns {Shape[]}
 */
export function cells(say, strip, storage, contents, { wrong, isOdd }) {
  /** @type {Map<string, Between>} */
  const hidden = new Map();
  const shown = contents.values.slice(0, strip.count).map((value, number) => {
    const { old, isWritten } = before(storage, contents, number);
    const { x, y, width, height, isHidden, isOfRows } = boxOfCell(strip, number);
    const box = { x: strip.x + x, y: strip.y + y, width, height };
    const right = wrong?.cells?.get(number) ?? null;
    const text = element(value, contents.dtype);
    const isError = isOdd?.(text) === true;
    if (!isHidden) return cell(strip, number, { box, text, old, isWritten, right, isError });
    const key = isOfRows ? `${box.y}` : `${box.x} ${box.y}`;
    const whole = isOfRows ? { ...box, x: strip.x, width: strip.width } : box;
    const place = hidden.get(key) ?? {
      box: whole,
      first: number,
      count: 0,
      isWritten: false,
      isWrong: false,
    };
    hidden.set(key, place);
    place.count += 1;
    place.isWritten ||= isWritten;
    place.isWrong ||= right !== null || isError;
    return null;
  });
  return [
    ...shown.filter((shape) => shape !== null),
    ...[...hidden.values()].map((place) => between(say, place)),
    ...(strip.unread === null ? [] : [unread(say, strip, strip.unread)]),
    ...strip.labels.map(({ x, y, text }) =>
      el("text", { key: `m${text}`, class: "matrix-index", x: strip.x + x, y: strip.y + y - 12 }, text),
    ),
  ];
}

/** @typedef {{box: Box, first: number, count: number, isWritten: boolean, isWrong: boolean}} Between */

/**
 * The shape in place of omitted cells, with their number.
 * @param {Scene["say"]} say
 * @param {Between} place
 * @returns {Shape}
 */
function between(say, { box, first, count, isWritten, isWrong }) {
  return el(
    "g",
    {
      key: `h${first}`,
      class: `cells-between${isWritten ? " written" : ""}${isWrong ? " wrong" : ""}`,
      "data-between": count,
    },
    el("title", {}, say("cells-between", { count })),
    el("rect", { ...box }),
    isWrong && el("rect", { class: "cell-hatch", ...box }),
    el("text", { x: box.x + box.width / 2, y: box.y + box.height / 2 + 3 }, "…"),
  );
}

/**
 * The shape in place of the cells that no tensor reads, with their number. The values of these cells are not
 * shown, because they have no meaning.
 * @param {Scene["say"]} say
 * @param {Strip} strip
 * @param {NonNullable<Strip["unread"]>} unread
 * @returns {Shape}
 */
function unread(say, strip, { count, ...box }) {
  const [x, y] = [strip.x + box.x, strip.y + box.y];
  const { width, height } = box;
  return el(
    "g",
    { key: "unread", class: "cells-unread", "data-unread": count },
    el("title", {}, say("cells-unread", { count })),
    el("rect", { x, y, width, height }),
    el("path", { class: "unread-stripes", d: stripes(x, y, width, height) }),
    el("text", { x: x + width / 2, y: y + height / 2 + 4.5 }, `+${count}`),
  );
}

/**
 * Diagonal stripes at the top and bottom of a box, which leave the middle free for text.
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
function stripes(x, y, width, height) {
  const lines = [];
  for (let at = 2; at + 6 <= width; at += 6)
    for (const foot of [y + 7, y + height - 1]) lines.push(`M${x + at},${foot} l6,-6`);
  return lines.join(" ");
}

/**
 * Whether this step wrote a cell (`isWritten`), and the cell's previous value as text (`old`); null: the
 * value is unchanged or not recorded.
 * @param {StorageState} storage
 * @param {Cells} contents
 * @param {number} number
 */
export function before(storage, { dtype, values }, number) {
  const width = itemsize(dtype);
  const isWritten = storage.written.some(
    ([begin, end]) => number * width < end && (number + 1) * width > begin,
  );
  if (!isWritten || storage.before?.kind !== "cells" || storage.before.dtype !== dtype)
    return { old: null, isWritten };
  const old = element(storage.before.values[number], dtype);
  return { old: old === element(values[number], dtype) ? null : old, isWritten };
}

/**
 * @param {Strip} strip
 * @param {number} number
 * @param {{
 *   box: Box,
 *   text: string,
 *   old: string | null,
 *   isWritten: boolean,
 *   right: string | null,
 *   isError: boolean,
 * }} at `right`: the correct value of a wrong cell; `isError`: whether the value is a NaN or an infinity
 * that is an error
 * @returns {Shape}
 */
function cell(strip, number, { box, text, old, isWritten, right, isError }) {
  const { x, y, width, height } = box;
  const size = fitted(text, strip, width);
  const showsIndex = strip.count > 1 && strip.size > 14;
  return el(
    "g",
    {
      key: `c${number}`,
      class: `cell${isWritten ? " written" : ""}${right === null && !isError ? "" : " wrong"}`,
      "data-cell": number,
    },
    el("title", {}, `${old === null ? "" : `${old} → `}${text}${right === null ? "" : ` ${NOT} ${right}`}`),
    el("rect", { x, y, width, height }),
    right !== null && el("rect", { class: "cell-hatch", x, y, width, height }),
    el(
      "text",
      {
        class: `cell-value ${size}`,
        x: x + width / 2,
        y: y + height / 2 + strip.size * 0.36 - (showsIndex ? 2 : 0),
      },
      clip(text, Math.floor((width - 6) / SMALL)),
    ),
    showsIndex && el("text", { class: "cell-index", x: x + width - 4, y: y + height - 4 }, String(number)),
  );
}

/**
 * @param {string} text
 * @param {Strip} strip
 * @param {number} width
 */
function fitted(text, strip, width) {
  if (strip.size < 16) return "small";
  return text.length * strip.size * 0.6 + 8 > width ? "small" : "large";
}
