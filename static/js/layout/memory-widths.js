/** Owns the space for names and titles next to the cards and cells of the memory picture. Pure. */

import { everOver } from "../run/values/arrays.js";
import { clip, clipName, element } from "../run/values/format.js";
import { everName, gradName, preparingNames, textOf } from "../run/naming/naming.js";
import { perTrace } from "../run/per-run.js";
import { monoWidth } from "../run/values/text-width.js";
import { endOfStrip } from "./memory-strip.js";
import { allStays, PAUSE } from "./memory-tenants.js";

/** @import {Index, MemoryRow, Measures} from "../run/types.d.ts" */
/** @import {Stay} from "./memory-tenants.js" */

/** Width in px of the text in place of a name, "base of". */
const NAMELESS = 70;

/**
 * The right end of a row, including everything that is ever next to its cells.
 * @param {Index} index
 * @param {MemoryRow} row
 * @param {Measures} measures
 */
export function rightOf(index, row, { memory, terse }) {
  if (row.strip === null) return 0;
  const { isBrief, most } = memory;
  const beside = Math.max(
    wasWidth(index, row),
    arraysWidth(index, row, isBrief),
    takenWidth(row, isBrief ? BRIEFLY_TAKEN : TAKEN, terse),
  );
  const end = row.strip.x + endOfStrip(row.strip);
  const least = end + memory.beside;
  return Math.max(least, isBrief ? Math.min(end + beside, most - EDGE) : end + beside);
}

/** What a picture has right of its widest row, in px. */
export const EDGE = 8;

/** The old values of a few cells are next to them at this distance; longer ones are in the title. */
export const WAS = { gap: 11, most: 7, cells: 2, size: 16, title: 12.5, word: 30 };

/** The size of a title in presenter mode. */
const LARGEST_TITLE = 13.4;

/**
 * The room right of the cells of a row for their old values, where they are ever written.
 * @param {Index} index
 * @param {MemoryRow} row
 */
function wasWidth(index, { storage, strip }) {
  const facts = index.storages[storage ?? -1]?.contents ?? [];
  if (strip === null || strip.mode !== "cells" || strip.count > WAS.cells || facts.length < 2) return 0;
  const texts = facts.slice(0, -1).map(([, contents]) =>
    contents.kind === "cells"
      ? contents.values
          .slice(0, strip.count)
          .map((value) => element(value, contents.dtype))
          .join(" ")
      : "",
  );
  const beside = WAS.gap + strip.y - strip.head - 9;
  const inTitle = titleOf(storage ?? 0) + WAS.word - strip.width;
  return (
    6 +
    texts.reduce((most, text) => {
      const isLong = text.length > WAS.most;
      const width = isLong
        ? inTitle + monoWidth(text, WAS.title)
        : beside + Math.max(WAS.word, monoWidth(text, WAS.size));
      return Math.max(most, width);
    }, -Infinity)
  );
}

/** About the longest words that a storage takes the row of another, and where titles are brief. */
const TAKEN = "new, in the row of S";
const BRIEFLY_TAKEN = "new, row of S";

/**
 * The room right of the cells of a row for these words in its title.
 * @param {MemoryRow} row
 * @param {string} taken
 * @param {boolean} isTerse
 */
function takenWidth({ storage, after, strip }, taken, isTerse) {
  if (after === null || strip === null) return 0;
  const words = isTerse
    ? monoWidth(`${taken}${after.storage}`, LARGEST_TITLE)
    : monoWidth(`${taken}1000`, WAS.title);
  return titleOf(storage ?? 0) + words - strip.width;
}

/** The names of NumPy arrays are in a frame at the end of the title, in the size of the title. */
export const ARRAYS = { gap: 10, inset: 14, most: 10 };

/** About the longest title of a storage before them. */
const LONGEST_TITLE = "bytes of S10";

/**
 * The room right of the cells of a row for the names of NumPy arrays, which stand alone in a brief title.
 * @param {Index} index
 * @param {MemoryRow} row
 * @param {boolean} isBrief
 */
function arraysWidth(index, { storage, strip }, isBrief) {
  const names = strip === null ? [] : everOver(index, storage ?? -1);
  if (strip === null || names.length === 0) return 0;
  const name = Math.max(...names.map((array) => monoWidth(clip(array, ARRAYS.most), WAS.title)));
  const title = isBrief ? "" : LONGEST_TITLE;
  const around =
    monoWidth(`${title}NumPy ${names.length > 1 ? " +1" : ""}`, WAS.title) + ARRAYS.gap + ARRAYS.inset;
  return titleOf(storage ?? 0) + around + name - strip.width;
}

/**
 * The width of the name of a storage, before the rest of its title.
 * @param {number} storage
 */
export function titleOf(storage) {
  return 22 + 8 * String(storage).length;
}

/**
 * @param {Index} index
 * @param {Measures} measures
 * @returns {Generator<void, number>}
 */
export function* namesWidth(index, { tag }) {
  yield* preparingNames(index);
  tagCounts(index);
  yield;
  let width = 34;
  const note = (/** @type {string} */ text) => (width = Math.max(width, tagWidth(text, tag)));
  for (const [at, stay] of allStays.of(index).entries()) {
    note(everName(index, stay.tensor) ?? "");
    if (at % (20 * PAUSE) === 0) yield;
  }
  for (const tensor of index.tensors) {
    if (tensor.id % (20 * PAUSE) === 0) yield;
    const isNamedToo = (tensor.grad ?? []).some(
      ([, grad]) => grad !== null && (tagCounts(index).get(grad) ?? 0) > 0,
    );
    const path = isNamedToo ? everName(index, tensor.id) : undefined;
    if (path !== undefined)
      width = Math.max(width, monoWidth(clipName(gradName(path), tag.most), tag.size) + 20);
  }
  for (const name of index.names) {
    note(textOf(index, name));
    if (name.id % (20 * PAUSE) === 0) yield;
  }
  for (const [at, stay] of allStays.of(index).entries()) {
    if (width >= NAMELESS) break;
    if (isEverNameless(index, stay)) width = NAMELESS;
    if (at % (5 * PAUSE) === 0) yield;
  }
  return Math.ceil(width) + 10;
}

/**
 * Whether a tensor exists while no name is bound to it, so that what keeps it alive is shown.
 * @param {Index} index
 * @param {Stay} stay
 */
function isEverNameless(index, { tensor, from }) {
  const died = index.tensors[tensor]?.died ?? Infinity;
  const names = index.lookups
    .names_of()(tensor)
    .flatMap((name) => spansOf(name.tensor ?? [], tensor, index.frames[name.frame]?.ended ?? Infinity));
  const grads = index.lookups
    .owners_of()(tensor)
    .flatMap((owner) => spansOf(owner.grad ?? [], tensor, owner.died ?? Infinity));
  let covered_to = from;
  for (const [begin, end] of [...names, ...grads].sort((a, b) => a[0] - b[0])) {
    if (begin > covered_to) break;
    covered_to = Math.max(covered_to, end);
  }
  return covered_to < died;
}

/**
 * The ranges of ticks in which a fact refers to a tensor.
 * @param {[number, number | null][]} facts
 * @param {number} tensor
 * @param {number} over
 * @returns {[number, number][]}
 */
export function spansOf(facts, tensor, over) {
  return facts.flatMap(([tick, id], place) =>
    id === tensor
      ? [/** @type {[number, number]} */ ([tick, Math.min(facts[place + 1]?.[0] ?? Infinity, over)])]
      : [],
  );
}

/** Paths with two lines: a gradient's, and those through a Tensor as a key of a dict. */
const TWO_LINES = [
  /^(.*)(\.grad(?: · .*)?)$/s,
  /^(.*\[(?!True|False)[^\W\d].*\])(\['[^']*'\](?: · .*)?)$/s,
  /^([^[]+)(\[(?!True|False)[^\W\d].*\](?: · .*)?)$/s,
];

/**
 * The lines of a name tag. The name of a gradient has two, `w2` and `.grad`, and that of what an optimizer
 * keeps, `opt.state[w2]` and `['exp_avg']`.
 * @param {string} text
 * @param {number} most
 * @returns {string[]}
 */
export function tagLines(text, most) {
  const found = TWO_LINES.map((pattern) => pattern.exec(text)).find((match) => match !== null);
  if (found === undefined) return [clipName(text, most)];
  const [, path = "", rest = ""] = found;
  return [clipName(path, most), clipName(rest, most)];
}

/**
 * @param {string} text
 * @param {Measures["tag"]} tag
 */
export function tagWidth(text, { size, most }) {
  return Math.max(...tagLines(text, most).map((line) => monoWidth(line, size))) + 16;
}

/** By tensor, about how many name tags it has at once, at most: the names that are ever bound to it. */
export const tagCounts = perTrace((/** @type {Index} */ index) => {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const name of index.names)
    for (const [place, [, id]] of (name.tensor ?? []).entries())
      if (id !== null && !name.tensor?.slice(0, place).some(([, before]) => before === id))
        counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
});
