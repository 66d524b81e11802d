/**
 * Owns the drawing of one storage: its cells, their values before the step, and the windows of the tensors
 * that view it.
 */

import { addTo } from "../run/grouped.js";
import { arraysOver } from "../run/values/arrays.js";
import { bytes, clip, element, isFloating, itemsize } from "../run/values/format.js";
import { boxOfCell } from "../layout/cell-axes.js";
import { endOfStrip } from "../layout/memory-strip.js";
import { ARRAYS, titleOf, WAS } from "../layout/memory-widths.js";
import { takenFrom } from "../layout/memory-rows.js";
import { perRun } from "../run/per-run.js";
import { monoWidth } from "../run/values/text-width.js";
import { oddIn } from "../run/values/nonfinite.js";
import { NOT, rightText, wrongAt } from "../run/values/wrong-gradients.js";
import { frame } from "./shapes.js";
import { el } from "./svg.js";

/** @import {Contents} from "../run/trace.d.ts" */
/** @import {Box, MemoryRow, StorageState, Strip} from "../run/types.d.ts" */
/** @import {WrongGrad} from "../run/values/wrong-gradients.js" */
/** @import {Scene} from "./memory-picture.js" */
/** @import {Shape} from "./svg.js" */

/** @typedef {Extract<Contents, {kind: "cells"}>} Cells */

/** Width in px of a character in the small size, as in stage.css. */
const SMALL = 7.5;

/** What a brief title leaves free at the end of its row, in px. */
const ROW_END = 4;

/**
 * The strip of cells of a storage, or a summary when it is large, freed or unknown.
 * @param {Scene} scene
 * @param {MemoryRow} row
 * @param {StorageState} storage
 * @returns {Shape}
 */
export function storageShape({ say, index, state, chosen, layout }, row, storage) {
  const strip = /** @type {Strip} */ (row.strip);
  const device = index.storages[storage.id]?.device ?? "cpu";
  const wrong = wrongAt(index, state).storages.get(storage.id);
  const isOdd = oddIn(index, state, storage.id);
  const size = `${bytes(storage.nbytes)}${device === "cpu" ? "" : ` · ${device}`}`;
  const arrays = arraysOver(index, state, storage.id);
  const was = wasOf(strip, storage);
  const isLong = was.length > WAS.most;
  const taken = takenFrom(index, row, state);
  const { isBrief } = layout.measures.memory;
  const told =
    taken !== null
      ? say(isBrief ? "row-taken-briefly" : "row-taken", taken)
      : storage.over !== null
        ? say("same-bytes", { storage: `S${storage.over}` })
        : size;
  const after = strip.x + titleOf(storage.id);
  const title = wrong
    ? rightText(
        wrong,
        say,
        Math.floor((strip.width + layout.measures.memory.beside - titleOf(storage.id)) / SMALL),
      )
    : isLong
      ? `${say("was")} ${was}`
      : storage.freed
        ? say("storage-freed")
        : told;
  const room = isBrief ? row.x + row.width - ROW_END - after : Infinity;
  const caption = isBrief && arrays.length > 0 ? "" : clip(title, Math.floor(room / SMALL));
  const head = [
    el("text", { class: "storage-name", x: strip.x, y: strip.head }, `S${storage.id}`),
    captionShape(caption, title, {
      class: `storage-size${wrong ? " right-title" : isLong ? " was-title" : ""}`,
      x: after,
      y: strip.head,
    }),
    arrays.length > 0 &&
      arrayTag(
        after + (caption === "" ? 0 : monoWidth(caption, WAS.title) + ARRAYS.gap),
        strip.head,
        arrays,
        {
          say,
          room,
        },
      ),
  ];
  const contents = storage.contents;
  const body =
    contents?.kind === "cells" && strip.mode === "cells"
      ? cells(say, strip, storage, contents, { wrong, isOdd })
      : summary(strip, contents, say);
  const isChosen = chosen?.kind === "storage" && chosen.id === storage.id;
  const at =
    chosen?.kind === "cell" && chosen.id === storage.id && strip.mode === "cells"
      ? boxOfCell(strip, chosen.cell ?? 0)
      : null;
  const followed = at && { x: strip.x + at.x, y: strip.y + at.y, width: at.width, height: at.height };
  const heading = { x: strip.x, y: strip.head - 11, width: 8 * (1 + String(storage.id).length), height: 13 };
  return el(
    "g",
    {
      key: "storage",
      class: `storage${wrong ? " wrong" : ""}${isOdd ? " odd" : ""}`,
      "data-storage": storage.id,
    },
    head,
    body,
    was !== "" && !isLong && wasBeside(strip, was, say),
    isChosen && frame(heading),
    followed && frame(followed, -3),
  );
}

/**
 * The words behind the name of a storage; where they are cut, or left out, it has them whole.
 * @param {string} caption
 * @param {string} words
 * @param {{class: string, x: number, y: number}} look
 * @returns {Shape}
 */
function captionShape(caption, words, look) {
  const text = el("text", look, caption);
  return caption === words ? text : el("g", {}, el("title", {}, words), text);
}

/**
 * The names of NumPy arrays over the same bytes, in a frame of two lines: no tensor records their writes.
 * @param {number} x
 * @param {number} y
 * @param {string[]} names
 * @param {{say: Scene["say"], room: number}} within in px
 * @returns {Shape}
 */
function arrayTag(x, y, names, { say, room }) {
  const more = names.length > 1 ? ` ${say("more", { count: names.length - 1 })}` : "";
  const around = monoWidth(`${say("numpy")} ${more}`, WAS.title) + ARRAYS.inset;
  const most = Math.min(ARRAYS.most, Math.floor((room - around) / SMALL));
  const text = `${say("numpy")} ${clip(names[0] ?? "", most)}${more}`;
  const width = monoWidth(text, WAS.title) + ARRAYS.inset;
  return el(
    "g",
    { key: "numpy", class: "array-tag", "data-arrays": names.join(" ") },
    el("title", {}, say("numpy-means", { names: names.join(", ") })),
    el("rect", { x, y: y - 12.5, width, height: 17, rx: 3 }),
    el("rect", { x: x + 2, y: y - 10.5, width: width - 4, height: 13, rx: 2 }),
    el("text", { x: x + width / 2, y }, text),
  );
}

/**
 * The cells, and one cell that counts those between the ends.
 * @param {Scene["say"]} say
 * @param {Strip} strip
 * @param {StorageState} storage
 * @param {Cells} contents
 * @param {{wrong: WrongGrad | undefined, isOdd: ((text: string) => boolean) | null}} errors
 * @returns {Shape[]}
 */
function cells(say, strip, storage, contents, { wrong, isOdd }) {
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
 * What stands for the cells between the ends.
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
 * What stands for the cells that no tensor reads: without their values, which mean nothing.
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
 * Lines from the lower left to the upper right, at the top and at the foot of a box: its middle has a text.
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
 * The value before of a cell that this step wrote, if it differs.
 * @param {StorageState} storage
 * @param {Cells} contents
 * @param {number} number
 */
function before(storage, { dtype, values }, number) {
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
 * The values before of a few cells, in one line; "" where the trace does not hold them.
 * @param {Strip} strip
 * @param {StorageState} storage
 */
function wasOf(strip, storage) {
  const { contents } = storage;
  if (contents?.kind !== "cells" || strip.mode !== "cells" || strip.count > WAS.cells) return "";
  return contents.values
    .slice(0, strip.count)
    .map((_, number) => before(storage, contents, number).old)
    .filter((old) => old !== null)
    .join(" ");
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
 * }} at `right`: the correct value of a wrong one; `isError`: a NaN or an infinity
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

/**
 * @param {Strip} strip
 * @param {string} was
 * @param {Scene["say"]} say
 * @returns {Shape}
 */
function wasBeside(strip, was, say) {
  const x = strip.x + endOfStrip(strip) + WAS.gap + strip.y - strip.head - 9;
  const y = strip.y + strip.height / 2;
  return el(
    "g",
    { key: "was", class: "was" },
    el("text", { class: "was-word", x, y: y - 4 }, say("was")),
    el("text", { class: "was-value", x, y: y + 14 }, was),
  );
}

/**
 * @param {Strip} strip
 * @param {Contents | null} contents
 * @param {Scene["say"]} say
 */
function summary(strip, contents, say) {
  const box = el("rect", {
    key: "box",
    class: "summary-box",
    x: strip.x,
    y: strip.y,
    width: strip.width,
    height: strip.height,
  });
  const line = (/** @type {number} */ number, /** @type {string} */ text) =>
    el(
      "text",
      { key: `l${number}`, class: "summary-text", x: strip.x + 10, y: strip.y + 18 + number * 18 },
      text,
    );
  if (contents === null) return [box, line(0, say("unknown"))];
  if (contents.kind === "unknown") {
    const most = Math.floor((strip.width - 20) / SMALL);
    return [
      el("title", { key: "title" }, contents.reason),
      box,
      line(0, say("unknown")),
      ...linesOf(contents.reason, most, 4).map((text, number) => line(number + 1, text)),
    ];
  }
  const { count, min, max, mean, bars, odd, picture: levels } = shapeOf(contents);
  const dtype = isFloating(contents.dtype) ? contents.dtype : "int64";
  if (count === 0) return [box, line(0, say("empty-storage"))];
  const left = strip.x + 10 + (levels.length === 0 ? 0 : PICTURE + 8);
  const room = strip.x + strip.width - 10 - left;
  return [
    box,
    line(0, say("summary-count", { count })),
    min !== null && line(1, `${element(min, dtype)} … ${element(max, dtype)}`),
    odd !== ""
      ? line(min === null ? 1 : 2, odd)
      : mean !== null && line(2, say("summary-mean", { value: element(mean, "float32") })),
    picture(levels, strip.x + 10, strip.y + strip.height - 8 - PICTURE),
    bars.map((share, number) =>
      el("rect", {
        key: `b${number}`,
        class: "summary-bar",
        x: left + number * (room / bars.length),
        y: strip.y + strip.height - 8 - share * PICTURE,
        width: room / bars.length - 1,
        height: Math.max(1, share * PICTURE),
      }),
    ),
  ];
}

/** Height in px of the reduced picture of a large tensor, and of its histogram. */
const PICTURE = 42;

/**
 * Elements sampled at even distances, the larger the darker; one path for each level.
 * @param {string[]} rows of hexadecimal levels
 * @param {number} x
 * @param {number} y
 */
function picture(rows, x, y) {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  if (columns === 0) return null;
  const side = Math.min(PICTURE / rows.length, PICTURE / columns);
  /** @type {Map<string, string[]>} */
  const levels = new Map();
  for (const [line, row] of rows.entries()) {
    for (const [column, level] of [...row].entries()) {
      addTo(
        levels,
        level,
        `M${(x + column * side).toFixed(2)},${(y + line * side).toFixed(2)}h${side.toFixed(2)}v${side.toFixed(2)}h${(-side).toFixed(2)}z`,
      );
    }
  }
  const squares = [...levels]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([level, path]) =>
      el("path", {
        key: `p${level}`,
        class: "summary-level",
        "fill-opacity": (0.06 + 0.94 * (parseInt(level, 16) / 15)).toFixed(3),
        d: path.join(""),
      }),
    );
  return el(
    "g",
    { key: "picture", class: "summary-picture" },
    squares,
    el("rect", { class: "summary-frame", x, y, width: side * columns, height: side * rows.length }),
  );
}

/**
 * Wraps words in lines of at most `most` characters; the last of at most `count` lines is cut.
 * @param {string} text
 * @param {number} most
 * @param {number} count
 */
function linesOf(text, most, count) {
  /** @type {string[]} */
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last !== "" && last.length + word.length >= most) lines.push(clip(word, most));
    else lines[lines.length - 1] = clip(`${last} ${word}`.trim(), most);
  }
  return lines.length <= count
    ? lines
    : [...lines.slice(0, count - 1), `${lines[count - 1]?.slice(0, most - 2)} …`];
}

/**
 * How many elements are not finite, as torch writes them.
 * @param {number} nan
 * @param {number} inf
 */
function oddOf(nan, inf) {
  return [nan > 0 ? `${nan} nan` : "", inf > 0 ? `${inf} inf` : ""].filter((part) => part !== "").join(", ");
}

/** The most elements that a histogram and a picture are made of: of more, every second, third and so on. */
const MOST_SAMPLED = 4096;

/** What a summary shows of contents, found once for them. */
const shapeOf = perRun((/** @type {Exclude<Contents, {kind: "unknown"}>} */ contents) => {
  if (contents.kind === "summary") {
    const bins = merged(contents.histogram);
    const highest = Math.max(1, ...bins);
    return {
      ...contents,
      bars: bins.map((bin) => bin / highest),
      odd: oddOf(contents.nan_count, contents.inf_count),
    };
  }
  const each = Math.ceil(contents.values.length / MOST_SAMPLED);
  const numbers = contents.values.map(Number);
  const [min, max] = numbers.reduce(
    ([least, most], value) =>
      Number.isFinite(value) ? [Math.min(least, value), Math.max(most, value)] : [least, most],
    [Infinity, -Infinity],
  );
  const sampled = numbers.filter((_, number) => number % each === 0);
  const values = sampled.filter(Number.isFinite);
  const share = (/** @type {number} */ value) => (value - min) / (max - min || 1);
  const bins = new Array(16).fill(0);
  for (const value of values) bins[Math.min(15, Math.floor(share(value) * 16))] += 1;
  const most = Math.max(1, ...bins);
  const finite = numbers.filter(Number.isFinite);
  const mean = finite.reduce((sum, value) => sum + value, 0) / finite.length;
  const odd = oddOf(
    contents.values.filter((value) => value === "nan").length,
    contents.values.filter((value) => value === "inf" || value === "-inf").length,
  );
  if (values.length === 0)
    return { count: contents.values.length, min: null, max: null, mean: null, bars: [], odd, picture: [] };
  return {
    count: contents.values.length,
    min,
    max,
    mean,
    bars: bins.map((bin) => bin / most),
    odd,
    picture: finite.length < numbers.length ? [] : pictureOf(values.map(share)),
  };
});

/**
 * The levels of all elements, in lines of equal length, as nearly square as possible.
 * @param {number[]} shares
 */
function pictureOf(shares) {
  let across = Math.ceil(Math.sqrt(shares.length));
  while (shares.length % across !== 0) across += 1;
  const levels = shares.map((share) => Math.round(share * 15).toString(16)).join("");
  return Array.from({ length: shares.length / across }, (_, line) =>
    levels.slice(line * across, (line + 1) * across),
  );
}

/**
 * The histogram in at most 26 bars.
 * @param {number[]} histogram
 */
function merged(histogram) {
  const each = Math.ceil(histogram.length / 26);
  const bars = [];
  for (let start = 0; start < histogram.length; start += each)
    bars.push(histogram.slice(start, start + each).reduce((sum, bin) => sum + bin, 0));
  return bars;
}
