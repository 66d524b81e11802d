/**
 * Owns where storages, tensors and name tags are in the memory picture: a storage has one row for the whole
 * trace. Pure.
 */

import { everOver } from "../run/arrays.js";
import { clip, clipName, element } from "../run/format.js";
import { everName, gradName, textOf } from "../run/naming.js";
import { perTrace } from "../run/per-run.js";
import { finished } from "../run/slices.js";
import { firstWhere } from "../run/sorted.js";
import { monoWidth } from "../run/text-width.js";

/** @import {Contents, Geometry, Tensor} from "../run/trace.d.ts" */
/**
 * @import {Index, MemoryLayout, MemoryRow, MemorySlot, Others, Pins, Spares, State,
 *   Strip} from "../run/types.d.ts"
 */

/** @import {Measures} from "../run/types.d.ts" */

/** @typedef {{tensor: number, storage: number | null, from: number, to: number}} Stay */
/**
 * @typedef {{
 *   key: string,
 *   storage: number | null,
 *   name: string,
 *   from: number,
 *   to: number,
 *   stays: Stay[],
 * }} Tenant
 */

/** The distance between the nested outlines of several tensors over one storage. */
export const OUTLINE = 5;
/**
 * The most outlines that are nested; of more, each but the first is drawn under the cells, beside its tensor.
 */
const MOST_NESTED = 2;
const ROW = { title: 16, gap: 8, edge: 8, foot: 12 };
/**
 * The most storages that are shown at once, and the most tensors of one storage; the others are counted. What
 * a visitor pins is shown in any case.
 */
export const MOST_SHOWN = { storages: 1000, tensors: 24 };
/** Height in px of the line that counts the others. */
export const MORE = 22;
/** A tensor whose cells need more lines is drawn as a summary. */
const MOST_LINES = 8;
/** Height in px of a window under the cells: of one line, and of many together. */
const RULER = { line: 16, most: 40, air: 10 };
/** Width in px of the text in place of a name, "base of". */
const NAMELESS = 70;
const SUMMARY = { width: 156, height: 110 };
const CELL = { across: 244, compact: 120, matrix: 290, most: 116, shown: 64 };
/** Few cells are drawn large enough to be read from the last row of a lecture room, many are small. */
const FEW = { height: 36, least: 42, size: 18, inset: 16 };
const MANY = { height: 32, least: 34, size: 12.5, inset: 8 };

/**
 * The places of everything that is ever named, saved or a gradient. What a visitor hid has none, what they
 * pinned comes first.
 * @param {Index} index
 * @param {Measures} measures
 * @param {Pins} [pins]
 * @returns {MemoryLayout}
 */
export function memoryLayout(index, measures, pins) {
  return finished(layingOut(index, measures, pins));
}

/** After how many rows work pauses. */
const PAUSE = 100;

/**
 * The same, in slices.
 * @param {Index} index
 * @param {Measures} measures
 * @param {Pins} [pins]
 * @returns {Generator<void, MemoryLayout>}
 */
export function* layingOut(index, measures, pins = { hidden: [], pinned: [] }) {
  const { card, memory } = measures;
  staysOf(index);
  yield;
  const names = yield* namesWidth(index, measures);
  const columns = {
    names,
    cards: names + memory.reach,
    card_width: card.width,
    strips: names + memory.reach + card.width + memory.span,
  };
  yield;
  const tenants = tenantsOf(index, new Set(pins.hidden));
  yield;
  const { lanes, others } = lanesOf(tenants, pinnedIn(index, pins.pinned));
  yield;
  onTop(index, lanes, pins.pinned);
  /** @type {MemoryRow[]} */
  const rows = [];
  let y = ROW.edge;
  let right = columns.strips + memory.least;
  for (const lane of lanes) {
    /** @type {MemoryRow[]} */
    const placed = [];
    for (const tenant of lane) {
      placed.push(rowOf(index, tenant, { columns, measures }, y));
      if (placed.length % PAUSE === 0) yield;
    }
    const height = placed.reduce((most, row) => Math.max(most, row.height), 0);
    for (const [number, row] of placed.entries()) {
      row.until = lane[number + 1]?.from ?? Infinity;
      row.height = height;
      right = Math.max(right, rightOf(index, row, measures));
      rows.push(row);
      if (rows.length % PAUSE === 0) yield;
    }
    y += height + ROW.gap;
  }
  const spares = others.length === 0 ? null : yield* sparesOf(index, others, { columns, measures }, y + MORE);
  for (const row of spares?.rows ?? []) {
    right = Math.max(right, rightOf(index, row, measures));
    y = row.y + row.height + ROW.gap;
  }
  const width = right + ROW.edge;
  for (const row of [...rows, ...(spares?.rows ?? [])]) row.width = width - 2 * row.x;
  return {
    width,
    height: y - ROW.gap + ROW.edge,
    rows,
    others: countedOf(others),
    spares,
    columns,
    measures,
  };
}

/**
 * The rows of the storages for which there is no lane: all in one place at the foot, for of them only the one
 * is shown that a step is about.
 * @param {Index} index
 * @param {Tenant[]} tenants
 * @param {Frame} frame
 * @param {number} y
 * @returns {Generator<void, Spares>}
 */
function* sparesOf(index, tenants, frame, y) {
  /** @type {MemoryRow[]} */
  const rows = [];
  let height = 0;
  for (const tenant of tenants) {
    const row = rowOf(index, tenant, frame, y);
    height = Math.max(height, row.height);
    rows.push(row);
    if (rows.length % PAUSE === 0) yield;
  }
  const of = new Map(rows.map((row) => [row.storage, row]));
  const fresh = rows.flatMap((row) => row.slots.map(({ from }) => ({ from, row })));
  for (const row of rows) row.height = height;
  return { rows, of, fresh: fresh.sort((a, b) => a.from - b.from) };
}

/**
 * The right end of a row with all that is ever beside its cells.
 * @param {Index} index
 * @param {MemoryRow} row
 * @param {Measures} measures
 */
function rightOf(index, row, { memory }) {
  if (row.strip === null) return 0;
  const beside = Math.max(memory.beside, wasWidth(index, row), arraysWidth(index, row));
  return row.strip.x + row.strip.width + beside;
}

/** The old values of few cells are beside them, at this distance; longer ones are in the title. */
export const WAS = { gap: 11, most: 7, cells: 2, size: 16, title: 12.5, word: 30 };

/**
 * The room right of the cells of a row for their old values, where they are ever written.
 * @param {Index} index
 * @param {MemoryRow} row
 */
function wasWidth(index, { storage, strip }) {
  const facts = index.storages[storage ?? -1]?.contents ?? [];
  if (strip === null || strip.mode !== "cells" || strip.count > WAS.cells || facts.length < 2) return 0;
  const texts = facts
    .slice(0, -1)
    .map(([, contents]) =>
      contents.kind === "cells"
        ? contents.values.map((value) => element(value, contents.dtype)).join(" ")
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

/** The names of NumPy arrays are in a frame at the end of the title, in the size of the title. */
export const ARRAYS = { gap: 10, inset: 14, most: 10 };
/** About the longest title of a storage before them. */
const LONGEST_TITLE = "bytes of S10";

/**
 * The room right of the cells of a row for the names of NumPy arrays.
 * @param {Index} index
 * @param {MemoryRow} row
 */
function arraysWidth(index, { storage, strip }) {
  const names = strip === null ? [] : everOver(index, storage ?? -1);
  if (strip === null || names.length === 0) return 0;
  const name = Math.max(...names.map((array) => monoWidth(clip(array, ARRAYS.most), WAS.title)));
  const around =
    monoWidth(`${LONGEST_TITLE}NumPy ${names.length > 1 ? " +1" : ""}`, WAS.title) +
    ARRAYS.gap +
    ARRAYS.inset;
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
 * The rows that are shown at a stop. A storage is shown once more in the step that frees it. Where the step
 * is about none of them, but about one that is counted, that one is shown, too.
 * @param {MemoryLayout} layout
 * @param {State} state
 */
export function rowsAt({ rows, spares }, state) {
  const shown = rows.filter((row) => existsAt(row, state));
  if (spares === null) return shown;
  const { written, fresh } = subjectsOf(shown, state);
  const spare = written.length + fresh.length > 0 ? undefined : spareAt(spares, state);
  return spare === undefined ? shown : [...shown, spare];
}

/**
 * The rows that a step is about: it writes their storage, or a tensor begins to be shown in them.
 * @param {MemoryRow[]} rows
 * @param {State} state
 */
export function subjectsOf(rows, { writes, before, tick }) {
  const storages = new Set(writes.filter(({ changed }) => changed !== false).map(({ storage }) => storage));
  return {
    written: rows.filter(({ storage }) => storage !== null && storages.has(storage)),
    fresh: rows.filter(({ slots }) =>
      slots.some(({ from, to }) => from > before && from <= tick && tick < to),
    ),
  };
}

/**
 * @param {MemoryRow} row
 * @param {State} state
 */
function existsAt({ from, until, freed }, { tick, before }) {
  return from <= tick && tick < until && freed > before;
}

/**
 * @param {Spares} spares
 * @param {State} state
 * @returns {MemoryRow | undefined}
 */
function spareAt({ of, fresh }, state) {
  const first = firstWhere(fresh.length, (at) => (fresh[at]?.from ?? 0) > state.before);
  const rows = /** @type {MemoryRow[]} */ (
    [...state.writes.map(({ storage }) => of.get(storage)), fresh[first]?.row].filter(
      (row) => row !== undefined && existsAt(row, state),
    )
  );
  const subjects = subjectsOf(rows, state);
  return subjects.written[0] ?? subjects.fresh[0];
}

/**
 * The slots of a row whose tensors exist at a stop.
 * @param {MemoryRow} row
 * @param {State} state
 */
export function slotsAt(row, { tick, tensors }) {
  return row.slots.filter((slot) => slot.from <= tick && tick < slot.to && tensors.has(slot.tensor));
}

/**
 * @param {Index} index
 * @param {Measures} measures
 * @returns {Generator<void, number>}
 */
function* namesWidth(index, { tag }) {
  everName(index, 0);
  tagCounts(index);
  yield;
  let width = 34;
  const note = (/** @type {string} */ text) => (width = Math.max(width, tagWidth(text, tag)));
  for (const [at, stay] of staysOf(index).entries()) {
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
  for (const [at, stay] of staysOf(index).entries()) {
    if (width >= NAMELESS) break;
    if (isEverNameless(index, stay)) width = NAMELESS;
    if (at % (5 * PAUSE) === 0) yield;
  }
  return Math.ceil(width) + 10;
}

/**
 * Whether a tensor exists while no name is bound to it, so that what keeps it alive is shknown.
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
function spansOf(facts, tensor, over) {
  return facts.flatMap(([tick, id], place) =>
    id === tensor
      ? [/** @type {[number, number]} */ ([tick, Math.min(facts[place + 1]?.[0] ?? Infinity, over)])]
      : [],
  );
}

/**
 * The lines of a name tag; the name of a gradient has two, `w2` and `.grad`.
 * @param {string} text
 * @param {number} most
 * @returns {string[]}
 */
export function tagLines(text, most) {
  const [, path = "", grad = ""] = /^(.*)(\.grad(?: · .*)?)$/s.exec(text) ?? [];
  return grad === "" ? [clipName(text, most)] : [clipName(path, most), clip(grad, most)];
}

/**
 * @param {string} text
 * @param {Measures["tag"]} tag
 */
export function tagWidth(text, { size, most }) {
  return Math.max(...tagLines(text, most).map((line) => monoWidth(line, size))) + 16;
}

/**
 * The ticks from which and until which each shown tensor uses a storage. Shown are tensors that are ever
 * named or saved, and their gradients.
 */
const staysOf = perTrace((/** @type {Index} */ index) => {
  const from = new Map();
  const note = (/** @type {number | null} */ tensor, /** @type {number} */ tick) => {
    if (tensor !== null) from.set(tensor, Math.min(from.get(tensor) ?? Infinity, tick));
  };
  for (const name of index.names) for (const [tick, tensor] of name.tensor ?? []) note(tensor, tick);
  for (const tensor of index.tensors)
    for (const [tick, grad] of tensor.grad ?? []) if (from.has(tensor.id)) note(grad, tick);
  for (const saved of index.saved_tensors) note(saved.tensor, saved.tick);
  const stays = [];
  for (const [id, tick] of from) {
    const tensor = index.tensors[id];
    for (const [number, [since, geometry]] of (tensor?.geometry ?? []).entries()) {
      const next = tensor?.geometry?.[number + 1]?.[0] ?? tensor?.died ?? Infinity;
      if (next > tick)
        stays.push({ tensor: id, storage: geometry.storage, from: Math.max(since, tick), to: next });
    }
  }
  return merged(stays.sort((a, b) => a.from - b.from || a.tensor - b.tensor));
});

/**
 * The stays with those joined between which only the shape changed.
 * @param {Stay[]} stays in order of time
 */
function merged(stays) {
  /** @type {Map<string, Stay>} */
  const latest = new Map();
  /** @type {Stay[]} */
  const result = [];
  for (const stay of stays) {
    const key = `${stay.tensor} ${stay.storage}`;
    const before = latest.get(key);
    if (before?.to === stay.from) before.to = stay.to;
    else {
      const copy = { ...stay };
      latest.set(key, copy);
      result.push(copy);
    }
  }
  return result;
}

/**
 * @param {Index} index
 * @param {Set<string>} hidden
 * @returns {Tenant[]}
 */
function tenantsOf(index, hidden) {
  /** @type {Map<string, Tenant>} */
  const tenants = new Map();
  for (const stay of staysOf(index)) {
    if (hidden.has(everName(index, stay.tensor) ?? "")) continue;
    const key = stay.storage === null ? `t${stay.tensor}` : `s${stay.storage}`;
    const tenant = tenants.get(key);
    if (tenant) tenant.stays.push(stay);
    else {
      const freed = stay.storage === null ? stay.to : (index.storages[stay.storage]?.freed ?? Infinity);
      tenants.set(key, {
        key,
        storage: stay.storage,
        name: everName(index, stay.tensor) ?? "",
        from: stay.from,
        to: freed,
        stays: [stay],
      });
    }
  }
  return [...tenants.values()];
}

/**
 * The lanes. A lane holds storages one after the other, never two at once. A name always returns to its lane;
 * storages without a name may follow each other. `others`: for whom there is no lane left.
 * @param {Tenant[]} tenants
 * @param {(tenant: Tenant) => boolean} isPinned
 */
function lanesOf(tenants, isPinned) {
  /** @type {Tenant[][]} */
  const lanes = [];
  /** @type {Tenant[]} */
  const others = [];
  /** @type {Map<string, {lanes: Tenant[][], soonest: number}>} `soonest`: when the first of them is free */
  const named = new Map();
  for (const tenant of tenants) {
    const known = named.get(tenant.name) ?? { lanes: [], soonest: Infinity };
    named.set(tenant.name, known);
    const lane =
      known.soonest <= tenant.from ? known.lanes.find((each) => freeFrom(each) <= tenant.from) : undefined;
    if (lane === undefined && lanes.length >= MOST_SHOWN.storages && !isPinned(tenant)) {
      others.push(tenant);
      continue;
    }
    const place = lane ?? [];
    place.push(tenant);
    if (lane === undefined) {
      known.lanes.push(place);
      lanes.push(place);
      known.soonest = Math.min(known.soonest, tenant.to);
    } else known.soonest = known.lanes.reduce((soonest, each) => Math.min(soonest, freeFrom(each)), Infinity);
  }
  return { lanes, others };
}

/** @param {Tenant[]} lane */
function freeFrom(lane) {
  return lane.at(-1)?.to ?? Infinity;
}

/**
 * What is counted instead of shown; null: nothing.
 * @param {{from: number, to: number}[]} stays
 * @returns {Others | null}
 */
function countedOf(stays) {
  if (stays.length === 0) return null;
  const sorted = (/** @type {number[]} */ ticks) => Float64Array.from(ticks).sort();
  return { from: sorted(stays.map(({ from }) => from)), to: sorted(stays.map(({ to }) => to)) };
}

/**
 * How many others exist at a stop.
 * @param {Others | null} others
 * @param {State} state
 */
export function othersAt(others, { tick }) {
  if (others === null) return 0;
  const upTo = (/** @type {Float64Array} */ ticks) =>
    firstWhere(ticks.length, (at) => (ticks[at] ?? 0) > tick);
  return upTo(others.from) - upTo(others.to);
}

/**
 * Whether a tenant has a tensor that a visitor pinned.
 * @param {Index} index
 * @param {string[]} pinned
 * @returns {(tenant: Tenant) => boolean}
 */
function pinnedIn(index, pinned) {
  const names = new Set(pinned);
  return ({ stays }) =>
    names.size > 0 && stays.some(({ tensor }) => names.has(everName(index, tensor) ?? ""));
}

/**
 * Puts the lanes of pinned names first, in the order in which they were pinned.
 * @param {Index} index
 * @param {Tenant[][]} lanes
 * @param {string[]} pinned
 */
function onTop(index, lanes, pinned) {
  if (pinned.length === 0) return;
  const places = new Map(pinned.map((name, place) => [name, place]));
  const placeOf = new Map(
    lanes.map((lane) => {
      let place = pinned.length;
      for (const { stays } of lane)
        for (const { tensor } of stays)
          place = Math.min(place, places.get(everName(index, tensor) ?? "") ?? place);
      return [lane, place];
    }),
  );
  lanes.sort((a, b) => (placeOf.get(a) ?? 0) - (placeOf.get(b) ?? 0));
}

/** @typedef {{columns: MemoryLayout["columns"], measures: Measures}} Frame */

/**
 * @param {Index} index
 * @param {Tenant} tenant
 * @param {Frame} frame
 * @param {number} y
 * @returns {MemoryRow}
 */
function rowOf(index, tenant, frame, y) {
  const top = y + 2;
  const { slots, others } = slotsOf(index, tenant.stays, frame, top);
  const strip =
    tenant.storage === null
      ? null
      : stripOf(
          index,
          tenant.storage,
          frame.columns.strips,
          frame.measures.compact ? CELL.compact : CELL.across,
        );
  const depth = slots.reduce((most, slot) => Math.max(most, slot.depth), 0);
  const isRuled = strip !== null && (depth >= MOST_NESTED || (depth > 0 && strip.mode === "summary"));
  const body = isRuled ? ruled(slots, strip, top) : nested(slots, strip, top, depth * OUTLINE);
  return {
    key: tenant.key,
    storage: tenant.storage,
    from: tenant.from,
    freed: tenant.to,
    until: Infinity,
    x: 6,
    y,
    width: 0,
    height: 2 + body + ROW.foot + (others === null ? 0 : MORE),
    slots,
    others,
    strip,
  };
}

/**
 * The cells beside their tensors, each window an outline around the one before.
 * @param {MemorySlot[]} slots
 * @param {Strip | null} strip
 * @param {number} top
 * @param {number} outlines
 */
function nested(slots, strip, top, outlines) {
  const cards = bottomOf(slots) - top;
  const title = ROW.title + outlines;
  const body = Math.max(cards, strip === null ? 0 : title + strip.height + outlines);
  if (strip) {
    strip.y = top + Math.max(title, (body - strip.height) / 2 + 5);
    strip.head = strip.y - 9 - outlines;
  }
  if (cards < body) for (const slot of slots) slot.y += (body - cards) / 2;
  return body;
}

/**
 * The cells beside the first tensor, and under them, beside each further tensor, the cells that it covers.
 * @param {MemorySlot[]} slots
 * @param {Strip} strip
 * @param {number} top
 */
function ruled(slots, strip, top) {
  const first = slots.filter((slot) => slot.depth === 0);
  const others = slots.filter((slot) => slot.depth > 0);
  const cards = bottomOf(first) - top;
  const head = Math.max(cards, ROW.title + strip.height + OUTLINE);
  strip.y = top + Math.max(ROW.title, (head - strip.height) / 2 + 5);
  strip.head = strip.y - 9;
  for (const slot of first) slot.y += Math.max(0, strip.y + strip.height / 2 - (slot.y + slot.height / 2));
  const down = Math.max(
    0,
    strip.y + strip.height + RULER.air - topOf(others),
    bottomOf(first) + RULER.air - topOf(others),
  );
  const height = strip.mode === "summary" ? RULER.line : Math.min(RULER.most, strip.rows * RULER.line);
  for (const slot of others) {
    slot.y += down;
    slot.ruler = { x: strip.x, y: slot.y + (slot.height - height) / 2, width: strip.width, height };
  }
  return Math.max(bottomOf(slots), strip.y + strip.height + OUTLINE) - top;
}

/** @param {MemorySlot[]} slots */
function bottomOf(slots) {
  return slots.reduce((most, slot) => Math.max(most, slot.y + slot.height), -Infinity);
}

/** @param {MemorySlot[]} slots */
function topOf(slots) {
  return slots.reduce((least, slot) => Math.min(least, slot.y), Infinity);
}

/**
 * @param {Index} index
 * @param {Stay[]} stays
 * @param {Frame} frame
 * @param {number} top
 * @returns {{slots: MemorySlot[], others: Others | null}}
 */
function slotsOf(index, stays, { columns, measures: { card, tag } }, top) {
  /** @type {{to: number, stays: Stay[], tags: number}[]} */
  const shelves = [];
  /** @type {Stay[]} */
  const others = [];
  for (const stay of stays) {
    const tags = Math.min(tagCounts(index).get(stay.tensor) ?? 0, 3);
    const shelf = shelves.find((candidate) => candidate.to <= stay.from);
    if (shelf) {
      shelf.stays.push(stay);
      shelf.to = stay.to;
      shelf.tags = Math.max(shelf.tags, tags);
    } else if (shelves.length < MOST_SHOWN.tensors) shelves.push({ to: stay.to, stays: [stay], tags });
    else others.push(stay);
  }
  /** @type {MemorySlot[]} */
  const slots = [];
  let y = top;
  for (const [depth, shelf] of shelves.entries()) {
    const height = Math.max(card.height, shelf.tags * (tag.height + 4) - 4);
    for (const { tensor, from, to } of shelf.stays)
      slots.push({ tensor, from, to, depth, x: columns.cards, y, width: card.width, height, ruler: null });
    y += height + card.gap;
  }
  return { slots, others: countedOf(others) };
}

/** By tensor, about how many name tags it has at once, at most: the names that are ever bound to it. */
const tagCounts = perTrace((/** @type {Index} */ index) => {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const name of index.names)
    for (const id of new Set((name.tensor ?? []).map(([, tensor]) => tensor)))
      if (id !== null) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
});

/**
 * @param {Index} index
 * @param {number} storage
 * @param {number} x
 * @param {number} across for large cells
 * @returns {Strip}
 */
function stripOf(index, storage, x, across) {
  const facts = index.storages[storage]?.contents ?? [];
  const count = facts.reduce((most, [, contents]) => {
    if (contents.kind === "unknown") return most;
    return Math.max(most, contents.kind === "cells" ? contents.values.length : contents.count);
  }, 0);
  const isLarge = count > CELL.shown || facts.some(([, contents]) => contents.kind !== "cells");
  /** @type {Strip} */
  const summary = {
    x,
    y: 0,
    head: 0,
    width: SUMMARY.width,
    height: SUMMARY.height,
    cell: 0,
    line: 0,
    size: 0,
    columns: 0,
    rows: 0,
    count,
    mode: "summary",
  };
  if (isLarge || count === 0) return isLarge ? summary : { ...summary, height: FEW.height };
  const all = facts.map(([, contents]) => contents);
  const look = count > 1 && count * cellWidth(all, FEW) > across ? MANY : FEW;
  const cell = cellWidth(all, look);
  const columns = Math.max(1, Math.min(count, lastDimension(index, storage, cell)));
  const rows = Math.ceil(count / columns);
  if (rows > MOST_LINES) return summary;
  return {
    x,
    y: 0,
    head: 0,
    width: columns * cell,
    height: rows * look.height,
    cell,
    line: look.height,
    size: look.size,
    columns,
    rows,
    count,
    mode: "cells",
  };
}

/**
 * @param {Contents[]} all
 * @param {typeof FEW} look
 */
function cellWidth(all, look) {
  let width = look.least;
  for (const contents of all) {
    if (contents.kind !== "cells") continue;
    for (const value of contents.values)
      width = Math.max(width, monoWidth(element(value, contents.dtype), look.size) + look.inset);
  }
  return Math.min(CELL.most, Math.ceil(width));
}

/**
 * How many columns the cells of a storage have: those of the last dimension where they fit.
 * @param {Index} index
 * @param {number} storage
 * @param {number} cell
 */
function lastDimension(index, storage, cell) {
  const most = Math.floor(CELL.across / cell);
  const geometry = firstGeometries(index).get(storage);
  if (geometry?.stride == null) return most;
  const last = geometry.shape.at(-1) ?? 1;
  const isPlain = geometry.shape.length >= 2 && geometry.stride.at(-1) === 1 && geometry.storage_offset === 0;
  return isPlain && last > 1 && last * cell <= CELL.matrix ? last : most;
}

/**
 * By storage, the geometry of the first tensor with strides and a name, or else of the first with strides.
 */
const firstGeometries = perTrace((/** @type {Index} */ index) => {
  /** @type {Map<number, Geometry>} */
  const first = new Map();
  const isNamed = (/** @type {Tensor} */ tensor) => everName(index, tensor.id) !== undefined;
  const unnamed = index.tensors.filter((tensor) => !isNamed(tensor));
  for (const tensor of [...index.tensors.filter(isNamed), ...unnamed]) {
    const geometry = tensor.geometry?.[0]?.[1];
    if (geometry?.storage != null && geometry.stride !== null && !first.has(geometry.storage))
      first.set(geometry.storage, geometry);
  }
  return first;
});
