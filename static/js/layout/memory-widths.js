/** Owns the space for names and titles next to the cards and cells of the memory picture. Pure. */

import { everOver } from "../run/values/arrays.js";
import { clip, element } from "../run/values/format.js";
import { everName, gradName, preparingNames, textOf } from "../run/naming/naming.js";
import { preparingShortNames, shortened, stateOf } from "../run/naming/short-names.js";
import { perTrace } from "../run/per-run.js";
import { monoWidth } from "../run/values/text-width.js";
import { endOfStrip } from "./memory-strip.js";
import { allStays, PAUSE } from "./memory-tenants.js";

/** @import {Index, MemoryRow, Measures} from "../run/types.d.ts" */
/** @import {Stay} from "./memory-tenants.js" */

/** Width in px of a text such as "base of", which a tensor without a name has in place of its name. */
const NAMELESS = 70;

/**
 * The right end of a row, including all that is ever shown next to the row's cells.
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

/** The margin to the right of the widest row, in px. */
export const EDGE = 8;

/**
 * Sizes in px for the overwritten values of a storage with few cells. Short values are shown next to the
 * cells, at the distance `gap`, longer ones in the title.
 */
export const WAS = { gap: 11, most: 7, cells: 2, size: 16, title: 12.5, word: 30 };

/** The size of a title in presenter mode. */
const LARGEST_TITLE = 13.4;

/**
 * The width to the right of a row's cells for their old values; 0 if the cells are never written.
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

/**
 * A nearly longest text for the note that a storage takes the row of another storage, in a usual title and
 * in a brief title.
 */
const TAKEN = "new, in the row of S";
const BRIEFLY_TAKEN = "new, row of S";

/**
 * By how much a storage's title extends beyond the cells of its row if the title contains the given note.
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

/**
 * Sizes in px of the frame at the end of a storage's title, which contains the names of NumPy arrays that
 * share the storage.
 */
export const ARRAYS = { gap: 10, inset: 14, most: 10 };

/** A nearly longest title of a storage, without the names of NumPy arrays. */
const LONGEST_TITLE = "bytes of S10";

/**
 * By how much a storage's title extends beyond the cells of its row if the title contains names of NumPy
 * arrays. A brief title contains nothing but these names.
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
 * @param {Set<number>} folded tensors that are not shown
 * @returns {Generator<void, number>}
 */
export function* namesWidth(index, { tag }, folded) {
  yield* preparingNames(index);
  yield* preparingShortNames(index);
  tagCounts(index);
  yield;
  let width = 34;
  const note = (/** @type {string} */ text) => (width = Math.max(width, tagWidth(index, text, tag)));
  const noteBeside = (/** @type {string} */ text) => (width = Math.max(width, widthBeside(index, text, tag)));
  for (const [at, stay] of allStays.of(index).entries()) {
    const name = folded.has(stay.tensor) ? "" : (everName(index, stay.tensor) ?? "");
    note(name);
    if ((tagCounts(index).get(stay.tensor) ?? 0) > 1) noteBeside(name);
    if (at % (20 * PAUSE) === 0) yield;
  }
  for (const tensor of index.tensors) {
    if (tensor.id % (20 * PAUSE) === 0) yield;
    const isNamedToo = (tensor.grad ?? []).some(
      ([, grad]) => grad !== null && !folded.has(grad) && (tagCounts(index).get(grad) ?? 0) > 0,
    );
    const path = isNamedToo ? everName(index, tensor.id) : undefined;
    if (path !== undefined) noteBeside(gradName(path));
  }
  for (const name of index.names) {
    if ((name.tensor ?? []).some(([, tensor]) => tensor !== null && !folded.has(tensor)))
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
 * Whether a tensor ever exists without a name. While it has none, the picture shows the objects that keep it
 * alive instead.
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
 * The ranges of ticks in which a name or attribute refers to the given tensor.
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

/** Matches paths that take two lines: paths of gradients, and paths through a dict with a Tensor as key. */
const TWO_LINES = [
  /^(.*)(\.grad(?: · .*)?)$/s,
  /^(.*\[(?!True|False)[^\W\d].*\])(\['[^']*'\](?: · .*)?)$/s,
  /^([^[]+)(\[(?!True|False)[^\W\d].*\](?: · .*)?)$/s,
];

/** Matches the positions at which a long name may be broken into two lines. */
const BREAK = /(?<=…)|(?=[.[]| · )/gu;

/**
 * The text of a name tag as one or two lines. A gradient has two lines, for example `w2` and `.grad`, and so
 * has optimizer state, for example `exp_avg` and `w2`. Any other name has two lines only if it cannot be
 * shortened to one line.
 * @param {Index} index
 * @param {string} text
 * @param {number} most
 * @returns {string[]}
 */
export function tagLines(index, text, most) {
  const state = stateLines(index, text, most);
  if (state !== null) return [state.state, state.name];
  const ways = [most + (text.endsWith(".grad") ? ".grad".length : 0), most].flatMap((letters) => {
    const short = shortened(index, text, letters);
    const found = TWO_LINES.map((pattern) => pattern.exec(short)).find((match) => match !== null);
    const whole = short.length > most ? [brokenUp(short)] : [[short]];
    return found === undefined ? whole : [[found[1] ?? "", found[2] ?? ""], ...whole.slice(0, 1)];
  });
  return ways.reduce((best, way) => (longest(best) > Math.max(most, longest(way)) ? way : best));
}

/**
 * The two lines of the name of optimizer state, with room for the word between the lines; null for other
 * names.
 * @param {Index} index
 * @param {string} text
 * @param {number} most
 */
export function stateLines(index, text, most) {
  return stateOf(index, text, most - OF);
}

/**
 * A name broken into two lines of about equal length.
 * @param {string} text
 */
function brokenUp(text) {
  const ways = [...text.matchAll(BREAK)].flatMap(({ index: at }) =>
    at === 0 ? [] : [[text.slice(0, at), text.slice(at).replace(/^ /, "")]],
  );
  return ways.reduce((best, way) => (longest(way) < longest(best) ? way : best), [text]);
}

/** @param {string[]} lines */
function longest(lines) {
  return Math.max(...lines.map((line) => line.length));
}

/**
 * The number of characters of " +12", which counts further names of a tensor, and of the word between the
 * two lines of optimizer state.
 */
const [MORE, OF] = [4, 3];

/**
 * The width in px of a name whose tensor has further names. The count of further names follows the name's
 * last line.
 * @param {Index} index
 * @param {string} text
 * @param {Measures["tag"]} tag
 */
function widthBeside(index, text, tag) {
  const line = shortened(index, text, tag.most);
  if (line.length <= tag.most) return monoWidth(line, tag.size) + 20;
  return tagWidth(index, text, tag) + monoWidth("0".repeat(MORE), tag.size);
}

/**
 * @param {Index} index
 * @param {string} text
 * @param {Measures["tag"]} tag
 */
export function tagWidth(index, text, { size, most }) {
  const beside = stateLines(index, text, most) === null ? 0 : monoWidth("0".repeat(OF), size);
  return Math.max(...tagLines(index, text, most).map((line) => monoWidth(line, size))) + beside + 16;
}

/**
 * For each tensor, the number of names that ever refer to it. This number is an upper bound for the tensor's
 * name tags at any step.
 */
export const tagCounts = perTrace((/** @type {Index} */ index) => {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const name of index.names)
    for (const [place, [, id]] of (name.tensor ?? []).entries())
      if (id !== null && !name.tensor?.slice(0, place).some(([, before]) => before === id))
        counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
});
