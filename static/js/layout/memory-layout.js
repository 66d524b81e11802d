/**
 * Owns the positions of storages, tensors and name tags in the memory picture. A storage has the same row for
 * the whole trace. Pure.
 */

import { finished } from "../run/slices.js";
import { FREED, byLife, foldingFrom, freedFold, livingFirst } from "./folds/freed-folds.js";
import { foldableOf, foldedTenants, openAtFirst } from "./folds/memory-folds.js";
import { lanesOf, ownerIn, pinnedIn } from "./memory-lanes.js";
import { allStays, MOST_SHOWN, PAUSE, tenantsOf } from "./memory-tenants.js";
import { CELL, stripOf } from "./memory-strip.js";
import { EDGE, namesWidth, rightOf, tagCounts } from "./memory-widths.js";

/**
 * @import {FoldedStorages, Folding, Index, Measures, MemoryLayout, MemoryRow, MemorySlot, Others, Pins,
 *   Spares, Strip} from "../run/types.d.ts"
 */
/** @import {Lane} from "./memory-lanes.js" */
/** @import {Stay, Tenant} from "./memory-tenants.js" */

/** The distance between the nested outlines of a storage's tensors. */
export const OUTLINE = 5;

/**
 * The maximum number of nested outlines around a storage's cells, one for each tensor. If a storage has more
 * tensors, all outlines except the first are lines below the cells instead, each next to its tensor.
 */
const MOST_NESTED = 2;

const ROW = { title: 16, gap: 6, edge: EDGE, foot: 12 };

/** The height in px of a folded group of storages, and of the title of an open group. */
const FOLD = { sheets: 66, title: 32 };

/** @type {Folding} */
const UNFOLDED = { groups: [], homes: [], open: undefined };

/** Height in px of the line that counts the storages or tensors that are not drawn. */
export const MORE = 22;

/**
 * Heights in px for the lines below a storage's cells that show which cells each tensor covers: one line,
 * all lines together at most, and the space around them.
 */
const RULER = { line: 16, most: 40, air: 10 };

/**
 * The positions in the memory picture of all tensors that are ever named, saved or a gradient. Tensors that
 * the visitor hid have no position, and pinned tensors come first.
 * @param {Index} index
 * @param {Measures} measures
 * @param {Pins} [pins]
 * @param {Folding} [folding]
 * @returns {MemoryLayout}
 */
export function memoryLayout(index, measures, pins, folding) {
  return finished(layingOut(index, measures, pins, folding));
}

/**
 * The same positions as `memoryLayout`, computed in slices.
 * @param {Index} index
 * @param {Measures} measures
 * @param {Pins} [pins]
 * @param {Folding} [folding]
 * @returns {Generator<void, MemoryLayout>}
 */
export function* layingOut(index, measures, pins = { hidden: [], pinned: [] }, folding = UNFOLDED) {
  const { card, memory } = measures;
  yield* allStays.making(index);
  const all = yield* tenantsOf(index, new Set(pins.hidden));
  yield;
  const isPinned = pinnedIn(index, pins.pinned);
  const foldable = foldableOf(index, all, folding, isPinned);
  const open = folding.open ?? openAtFirst(foldable);
  yield;
  const tenants = foldedTenants(all, foldable, open);
  yield;
  const names = yield* namesWidth(index, measures, foldedIn(all, tenants));
  const columns = {
    names,
    cards: names + memory.reach,
    card_width: card.width,
    strips: names + memory.reach + card.width + memory.span,
  };
  yield;
  const frame = { columns, measures };
  /** @type {Map<Tenant, MemoryRow>} */
  const rowsBy = new Map();
  for (const tenant of tenants) {
    rowsBy.set(tenant, rowOf(index, tenant, frame));
    if (rowsBy.size % PAUSE === 0) yield;
  }
  yield;
  const heights = new Map([...rowsBy].map(([tenant, row]) => [tenant, row.height]));
  yield;
  const overs = foldingFrom(index, tenants, isPinned);
  const areShown = open.has(FREED);
  const ownerOf = ownerIn(index, tenants);
  const { lasting, passing, parents } = byLife(index, tenants, overs, ownerOf, areShown);
  yield;
  const { lanes, others } = yield* lanesOf(index, lasting, heights, pins.pinned);
  /** @type {MemoryRow[]} */
  const rows = [];
  let right = columns.strips + memory.least;
  /**
   * Places lanes one below the other. Returns the y coordinate of the next lane's top.
   * @param {Lane[]} lanes
   * @param {number} top
   * @returns {Generator<void, number>}
   */
  function* placing(lanes, top) {
    let y = top;
    for (const lane of lanes) {
      /** @type {MemoryRow | null} */
      let before = null;
      for (const [number, tenant] of lane.tenants.entries()) {
        const row = /** @type {MemoryRow} */ (rowsBy.get(tenant));
        const last = lane.tenants[number - 1];
        if (before !== null) before.until = Math.min(before.until, row.from);
        const isFolded = before !== null && before.until < row.from && last?.isCut === false;
        row.after = isFolded ? null : takenOver(last);
        if (!areShown) row.until = Math.min(row.until, overs.get(tenant) ?? Infinity);
        row.height = lane.height;
        movedDown(row, y);
        right = Math.max(right, rightOf(index, row, measures));
        rows.push(row);
        before = row;
        if (rows.length % PAUSE === 0) yield;
      }
      y += lane.height + ROW.gap;
    }
    return y;
  }
  const first = overs.size === 0 ? lanes.length : livingFirst(lanes, overs);
  let y = yield* placing(lanes.slice(0, first), ROW.edge);
  const freed = overs.size === 0 ? null : freedFold(overs, areShown);
  if (freed !== null) {
    rows.push({ ...freedRow(freed), y });
    y += FOLD.title + ROW.gap;
  }
  y = yield* placing(lanes.slice(first), y);
  /** @type {Map<number, number>} */
  const belows = new Map([[-1, y]]);
  for (const home of [-1, ...parents.keys()]) {
    const top = belows.get(parents[home] ?? -1) ?? 0;
    const within = passing.get(home);
    const between = within === undefined ? null : yield* lanesOf(index, within, heights, []);
    others.push(...(between?.others ?? []));
    belows.set(home, between === null ? top : yield* placing(between.lanes, top));
  }
  for (const below of belows.values()) y = Math.max(y, below);
  const spares = others.length === 0 ? null : yield* sparesOf(others, rowsBy, y + MORE);
  for (const [number, row] of (spares?.rows ?? []).entries()) {
    if (number % PAUSE === 0) yield;
    right = Math.max(right, rightOf(index, row, measures));
    y = row.y + row.height + ROW.gap;
  }
  yield;
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
    groups: [...(foldable.of.size === 0 ? [] : foldable.groups), ...(freed === null ? [] : [freed.group])],
    open,
    homes: new Map([...foldable.of].map(([{ storage }, { group }]) => [storage ?? -1, group])),
  };
}

/**
 * The tensors whose storages are in folded groups. The names of tensors in folded groups are not drawn.
 * @param {Tenant[]} all
 * @param {Tenant[]} tenants
 */
function foldedIn(all, tenants) {
  const shown = new Set(tenants.flatMap(({ stays }) => stays.map(({ tensor }) => tensor)));
  return new Set(
    all.flatMap(({ stays }) => stays.map(({ tensor }) => tensor).filter((tensor) => !shown.has(tensor))),
  );
}

/**
 * The rows of storages without a lane. All rows without a lane share one position at the bottom of the
 * picture, because a step shows at most one of them: the row that the step changes.
 * @param {Tenant[]} tenants
 * @param {Map<Tenant, MemoryRow>} rowsBy
 * @param {number} y
 * @returns {Generator<void, Spares>}
 */
function* sparesOf(tenants, rowsBy, y) {
  /** @type {MemoryRow[]} */
  const rows = [];
  let height = 0;
  for (const tenant of tenants) {
    const row = /** @type {MemoryRow} */ (rowsBy.get(tenant));
    movedDown(row, y);
    height = Math.max(height, row.height);
    rows.push(row);
    if (rows.length % PAUSE === 0) yield;
  }
  yield;
  const of = new Map(rows.map((row) => [row.storage, row]));
  yield;
  const fresh = rows.flatMap((row) => row.slots.map(({ from }) => ({ from, row })));
  for (const row of rows) row.height = height;
  return { rows, of, fresh: fresh.sort((a, b) => a.from - b.from) };
}

/**
 * The count of items that are not shown; null: all are shown.
 * @param {{from: number, to: number}[]} stays
 * @returns {Others | null}
 */
function countedOf(stays) {
  if (stays.length === 0) return null;
  const sorted = (/** @type {number[]} */ ticks) => Float64Array.from(ticks).sort();
  return { from: sorted(stays.map(({ from }) => from)), to: sorted(stays.map(({ to }) => to)) };
}

/** @typedef {{columns: MemoryLayout["columns"], measures: Measures}} Frame */

/**
 * Lays out the row of a storage or group as if the row were at the top of the picture.
 * @param {Index} index
 * @param {Tenant} tenant
 * @param {Frame} frame
 * @returns {MemoryRow}
 */
function rowOf(index, tenant, frame) {
  if (tenant.fold !== null) return foldRow(tenant, tenant.fold);
  const top = 2;
  const { slots, others } = slotsOf(index, tenant.stays, frame, top);
  const strip =
    tenant.storage === null ? null : stripOf(index, tenant.storage, frame.columns.strips, roomOf(frame));
  const depth = slots.reduce((most, slot) => Math.max(most, slot.depth), 0);
  const isRuled = strip !== null && (depth >= MOST_NESTED || (depth > 0 && strip.mode === "summary"));
  const body = isRuled ? ruled(slots, strip, top) : nested(slots, strip, top, depth * OUTLINE);
  return {
    key: tenant.key,
    storage: tenant.storage,
    from: tenant.from,
    freed: tenant.to,
    until: tenant.isCut ? tenant.to : Infinity,
    after: null,
    fold: null,
    x: 6,
    y: 0,
    width: 0,
    height: 2 + body + ROW.foot + (others === null ? 0 : MORE),
    slots,
    others,
    strip,
  };
}

/**
 * @param {Pick<Tenant, "key" | "from" | "to">} tenant
 * @param {FoldedStorages} fold
 * @returns {MemoryRow}
 */
function foldRow({ key, from, to }, fold) {
  const height = fold.isOpen ? FOLD.title : FOLD.sheets;
  return {
    ...{ key, storage: null, from, freed: to, until: Infinity, after: null, fold },
    ...{ x: 6, y: 0, width: 0, height, slots: [], others: null, strip: null },
  };
}

/**
 * The line of the freed storages.
 * @param {FoldedStorages} fold
 * @returns {MemoryRow}
 */
function freedRow(fold) {
  const from = fold.members[0]?.from ?? Infinity;
  return { ...foldRow({ key: FREED, from, to: from }, fold), height: FOLD.title };
}

/**
 * The storage that used a row before the next storage in the lane; null: there was none.
 * @param {Tenant | undefined} before
 * @returns {MemoryRow["after"]}
 */
function takenOver(before) {
  return before === undefined || before.storage === null
    ? null
    : { storage: before.storage, isFreed: !before.isCut };
}

/**
 * The width in px that is available for the cells of a row.
 * @param {Frame} frame
 */
function roomOf({ columns, measures: { memory } }) {
  const beside = memory.isBrief ? memory.beside : memory.beside / 2;
  const most = memory.most - columns.strips - ROW.edge - beside;
  return {
    across: memory.across,
    most: memory.isBrief ? most : Math.min(CELL.matrix, Math.max(CELL.least, most)),
    ...{ isStrict: memory.isStrict, isBrief: memory.isBrief },
  };
}

/**
 * @param {MemoryRow} row
 * @param {number} by
 */
function movedDown(row, by) {
  row.y += by;
  if (row.strip !== null) {
    row.strip.y += by;
    row.strip.head += by;
  }
  for (const slot of row.slots) {
    slot.y += by;
    if (slot.ruler !== null) slot.ruler.y += by;
  }
}

/**
 * Places a storage's cells to the right of its tensors. Each tensor has an outline around the cells that it
 * covers, and the outlines are nested.
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
 * Places a storage's cells to the right of its first tensor. For each further tensor, a line below the cells
 * shows which cells it covers.
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
  const height =
    strip.mode === "summary" ? RULER.line : Math.min(RULER.most, strip.down.slots.length * RULER.line);
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
