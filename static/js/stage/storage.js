/** Draws one storage: its cells, their values before the step, and which cells each tensor reads. */

import { addTo } from "../run/grouped.js";
import { arraysOver } from "../run/values/arrays.js";
import { bytes, clip, element, isFloating } from "../run/values/format.js";
import { boxOfCell } from "../layout/cell-axes.js";
import { endOfStrip, SUMMARY } from "../layout/memory-strip.js";
import { ARRAYS, titleOf, WAS } from "../layout/memory-widths.js";
import { takenFrom } from "../layout/memory-rows.js";
import { perRun } from "../run/per-run.js";
import { monoWidth } from "../run/values/text-width.js";
import { oddIn } from "../run/values/nonfinite.js";
import { rightText, wrongAt } from "../run/values/wrong-gradients.js";
import { frame } from "./shapes.js";
import { imageShape } from "./image.js";
import { before, cells, SMALL } from "./cells.js";
import { el } from "./svg.js";

/** @import {Contents} from "../run/trace.d.ts" */
/** @import {Box, MemoryRow, StorageState, Strip} from "../run/types.d.ts" */
/** @import {Scene} from "./memory-picture.js" */
/** @import {Shape} from "./svg.js" */

/** @typedef {Extract<Contents, {kind: "cells"}>} Cells */

/** The free space in px after a brief title, at the end of the storage's row. */
const ROW_END = 4;

/**
 * The strip of cells of a storage, or a summary of a large, freed or unknown storage.
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
 * The text after the name of a storage. If it is shortened or omitted, a tooltip has the full text.
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
 * A tag with the names of NumPy arrays that share a storage's memory. The tag has a double frame as a
 * warning, because a write through an array changes no version counter.
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
 * The text with the values before this step of a storage with few cells; "" if the trace does not contain
 * them, or there are too many cells.
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
  const image = contents.kind === "summary" ? contents.image : undefined;
  const dtype = isFloating(contents.dtype) ? contents.dtype : "int64";
  if (count === 0) return [box, line(0, say("empty-storage"))];
  const left = strip.x + 10 + (levels.length === 0 || image !== undefined ? 0 : PICTURE + 8);
  const room = strip.x + Math.min(strip.width, SUMMARY.width) - 10 - left;
  return [
    box,
    line(0, say("summary-count", { count })),
    min !== null && line(1, `${element(min, dtype)} … ${element(max, dtype)}`),
    odd !== ""
      ? line(min === null ? 1 : 2, odd)
      : mean !== null && line(2, say("summary-mean", { value: element(mean, "float32") })),
    image === undefined
      ? picture(levels, strip.x + 10, strip.y + strip.height - 8 - PICTURE)
      : imageShape(image, besideOf(strip), say("summary-image")),
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

/**
 * The area of the image next to a storage's summary.
 * @param {Strip} strip
 */
function besideOf({ x, y, height }) {
  const side = SUMMARY.image;
  return { x: x + SUMMARY.width, y: y + (height - side) / 2, width: side, height: side };
}

/** The height in picture units of the reduced image of a large tensor, and of its histogram. */
const PICTURE = 42;

/**
 * Draws elements of a large tensor, sampled at even distances, as squares of different grey levels. Larger
 * elements are darker. There is one path for each grey level.
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
 * Wraps a text into at most `count` lines of at most `most` characters. If the text is longer, the last line
 * is shortened.
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
 * The number of non-finite elements, with torch's words for them.
 * @param {number} nan
 * @param {number} inf
 */
function oddOf(nan, inf) {
  return [nan > 0 ? `${nan} nan` : "", inf > 0 ? `${inf} inf` : ""].filter((part) => part !== "").join(", ");
}

/**
 * The maximum number of elements from which a histogram and a reduced image are computed. Of more elements,
 * only every second, third and so on is used.
 */
const MOST_SAMPLED = 4096;

/** The values that the summary of a storage's elements shows, computed once. */
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
 * The grey levels of all elements, in lines of equal length that form nearly a square.
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
