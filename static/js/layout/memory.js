/** Owns where storages, tensors and name tags stand: a storage keeps its row for the whole trace. Pure. */

import { clip, covered, element, itemsize } from "../format.js";
import { everName } from "../naming.js";
import { monoWidth } from "./text.js";

/** @import {Contents, Geometry} from "../trace.d.ts" */
/** @import {Index, MemoryLayout, MemoryRow, MemorySlot, State, Strip} from "../types.d.ts" */

/** @import {Measures} from "./measures.js" */

/** @typedef {{tensor: number, storage: number | null, from: number, to: number}} Stay */
/** @typedef {{key: string, storage: number | null, name: string, from: number, to: number, stays: Stay[]}} Tenant */

/** Windows of several tensors on one storage are nested outlines, so far apart. */
export const OUTLINE = 5;
const ROW = { title: 16, gap: 8, edge: 8, foot: 8 };
const CELL = { across: 244, compact: 120, matrix: 290, most: 116, shown: 64 };
/** Few cells are large enough for the last row of a lecture hall, many are small. */
const FEW = { height: 36, least: 42, size: 18, inset: 16 };
const MANY = { height: 32, least: 34, size: 12.5, inset: 8 };

/**
 * The places of everything that is ever named, saved or a gradient.
 * @param {Index} index
 * @param {Measures} measures
 * @returns {MemoryLayout}
 */
export function memoryLayout(index, measures) {
  const { card, memory } = measures;
  const names = namesWidth(index, measures);
  const columns = { names, cards: names + memory.reach, card_width: card.width, strips: names + memory.reach + card.width + memory.span };
  const lanes = lanesOf(tenantsOf(index));
  /** @type {MemoryRow[]} */
  const rows = [];
  let y = ROW.edge;
  let right = columns.strips + memory.least;
  for (const lane of lanes) {
    const placed = lane.map((tenant) => rowOf(index, tenant, { columns, measures }, y));
    const height = Math.max(...placed.map((row) => row.height));
    for (const [number, row] of placed.entries()) {
      row.until = lane[number + 1]?.from ?? Infinity;
      row.height = height;
      right = Math.max(right, row.strip ? row.strip.x + row.strip.width + 20 : 0);
      rows.push(row);
    }
    y += height + ROW.gap;
  }
  const width = right + memory.was; // room for "was 4." beside the cells
  for (const row of rows) row.width = width - 2 * row.x;
  return { width, height: y - ROW.gap + ROW.edge, rows, columns, measures };
}

/**
 * The slots of a row whose tensors are there at a step.
 * @param {MemoryRow} row
 * @param {State} state
 */
export function slotsAt(row, { tick, tensors }) {
  return row.slots.filter((slot) => slot.from <= tick && tick < slot.to && tensors.has(slot.tensor));
}

/** @param {Index} index @param {Measures} measures */
function namesWidth(index, { tag }) {
  let width = 34;
  const note = (/** @type {string} */ text) => (width = Math.max(width, tagWidth(text, tag)));
  for (const stay of staysOf(index)) note(everName(index, stay.tensor) ?? "");
  for (const tensor of index.tensors) {
    const isNamedToo = (tensor.grad ?? []).some(([, grad]) => grad !== null && tagsOf(index, grad) > 0);
    const path = isNamedToo ? everName(index, tensor.id) : undefined;
    if (path !== undefined) width = Math.max(width, monoWidth(clip(`${path}.grad`, tag.most), tag.size) + 20);
  }
  for (const name of index.names) note(name.frame === 0 ? name.path : `${name.path} · ${index.frames[name.frame]?.function}`);
  return Math.ceil(width) + 10;
}

/** A gradient's name takes two lines: `w2` and `.grad`. @param {string} text @param {number} most @returns {string[]} */
export function tagLines(text, most) {
  return text.endsWith(".grad") ? [clip(text.slice(0, -5), most), ".grad"] : [clip(text, most)];
}

/** @param {string} text @param {Measures["tag"]} tag */
export function tagWidth(text, { size, most }) {
  return Math.max(...tagLines(text, most).map((line) => monoWidth(line, size))) + 16;
}

/**
 * When each shown tensor looks at which storage. Shown is what was ever named, a gradient of such, or saved.
 * @param {Index} index
 * @returns {Stay[]}
 */
function staysOf(index) {
  const from = new Map();
  const note = (/** @type {number | null} */ tensor, /** @type {number} */ tick) => {
    if (tensor !== null) from.set(tensor, Math.min(from.get(tensor) ?? Infinity, tick));
  };
  for (const name of index.names) for (const [tick, tensor] of name.tensor ?? []) note(tensor, tick);
  for (const tensor of index.tensors) for (const [tick, grad] of tensor.grad ?? []) if (from.has(tensor.id)) note(grad, tick);
  for (const saved of index.saved_tensors) note(saved.tensor, saved.tick);
  const stays = [];
  for (const [id, tick] of from) {
    const tensor = index.tensors[id];
    for (const [number, [since, geometry]] of (tensor?.geometry ?? []).entries()) {
      const next = tensor?.geometry?.[number + 1]?.[0] ?? tensor?.died ?? Infinity;
      if (next > tick) stays.push({ tensor: id, storage: geometry.storage, from: Math.max(since, tick), to: next });
    }
  }
  return merged(stays.sort((a, b) => a.from - b.from || a.tensor - b.tensor));
}

/** One stay where only the shape changed. @param {Stay[]} stays in order of time */
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
      const own = { ...stay };
      latest.set(key, own);
      result.push(own);
    }
  }
  return result;
}

/** @param {Index} index @returns {Tenant[]} */
function tenantsOf(index) {
  /** @type {Map<string, Tenant>} */
  const tenants = new Map();
  for (const stay of staysOf(index)) {
    const key = stay.storage === null ? `t${stay.tensor}` : `s${stay.storage}`;
    const tenant = tenants.get(key);
    if (tenant) tenant.stays.push(stay);
    else {
      const freed = stay.storage === null ? stay.to : (index.storages[stay.storage]?.freed ?? Infinity);
      tenants.set(key, { key, storage: stay.storage, name: everName(index, stay.tensor) ?? "", from: stay.from, to: freed, stays: [stay] });
    }
  }
  return [...tenants.values()];
}

/**
 * A lane holds storages one after the other, never two at once, and all of one name: it comes back to its old lane. Nameless ones may follow each other.
 * @param {Tenant[]} tenants
 */
function lanesOf(tenants) {
  /** @type {Tenant[][]} */
  const lanes = [];
  /** @type {Map<string, Tenant[][]>} */
  const named = new Map();
  for (const tenant of tenants) {
    const own = named.get(tenant.name) ?? [];
    named.set(tenant.name, own);
    const lane = own.find((each) => (each.at(-1)?.to ?? Infinity) <= tenant.from);
    if (lane) lane.push(tenant);
    else {
      const fresh = [tenant];
      own.push(fresh);
      lanes.push(fresh);
    }
  }
  return lanes;
}

/** @typedef {{columns: MemoryLayout["columns"], measures: Measures}} Frame */

/** @param {Index} index @param {Tenant} tenant @param {Frame} frame @param {number} y @returns {MemoryRow} */
function rowOf(index, tenant, frame, y) {
  const { columns } = frame;
  const top = y + 2;
  const slots = slotsOf(index, tenant.stays, frame, top);
  const strip = tenant.storage === null ? null : stripOf(index, tenant.storage, columns.strips, frame.measures.compact ? CELL.compact : CELL.across);
  const cards = Math.max(...slots.map((slot) => slot.y + slot.height)) - top;
  const outlines = Math.max(...slots.map((slot) => slot.depth)) * OUTLINE;
  const title = ROW.title + outlines;
  const body = Math.max(cards, strip === null ? 0 : title + strip.height + outlines);
  if (strip) strip.y = top + Math.max(title, (body - strip.height) / 2 + 5);
  if (cards < body) for (const slot of slots) slot.y += (body - cards) / 2;
  if (strip) strip.head = strip.y - 9 - outlines;
  return { key: tenant.key, storage: tenant.storage, from: tenant.from, until: Infinity, x: 6, y, width: 0, height: 2 + body + ROW.foot, slots, strip };
}

/** @param {Index} index @param {Stay[]} stays @param {Frame} frame @param {number} top @returns {MemorySlot[]} */
function slotsOf(index, stays, { columns, measures: { card, tag } }, top) {
  /** @type {{to: number, stays: Stay[], tags: number}[]} */
  const shelves = [];
  for (const stay of stays) {
    const tags = Math.min(tagsOf(index, stay.tensor), 3);
    const shelf = shelves.find((own) => own.to <= stay.from);
    if (shelf) {
      shelf.stays.push(stay);
      shelf.to = stay.to;
      shelf.tags = Math.max(shelf.tags, tags);
    } else shelves.push({ to: stay.to, stays: [stay], tags });
  }
  /** @type {MemorySlot[]} */
  const slots = [];
  let y = top;
  for (const [depth, shelf] of shelves.entries()) {
    const height = Math.max(card.height, shelf.tags * (tag.height + 4) - 4);
    for (const { tensor, from, to } of shelf.stays) slots.push({ tensor, from, to, depth, x: columns.cards, y, width: card.width, height });
    y += height + card.gap;
  }
  return slots;
}

/** @type {WeakMap<Index, Map<number, number>>} */
const tagCounts = new WeakMap();

/** The most name tags a tensor wears at once, roughly: the names that ever reach it, long ones folded into one. @param {Index} index @param {number} tensor */
function tagsOf(index, tensor) {
  let counts = tagCounts.get(index);
  if (counts === undefined) {
    counts = new Map();
    for (const name of index.names) for (const id of new Set((name.tensor ?? []).map(([, own]) => own))) if (id !== null) counts.set(id, (counts.get(id) ?? 0) + 1);
    tagCounts.set(index, counts);
  }
  return counts.get(tensor) ?? 0;
}

/** @param {Index} index @param {number} storage @param {number} x @param {number} across for large cells @returns {Strip} */
function stripOf(index, storage, x, across) {
  const facts = index.storages[storage]?.contents ?? [];
  const count = Math.max(0, ...facts.map(([, contents]) => (contents.kind === "cells" ? contents.values.length : 0)));
  const isLarge = count > CELL.shown || facts.some(([, contents]) => contents.kind !== "cells");
  if (isLarge || count === 0) return { x, y: 0, head: 0, width: 156, height: isLarge ? 102 : FEW.height, cell: 0, line: 0, size: 0, columns: 0, rows: 0, count, mode: "summary" };
  const all = facts.map(([, contents]) => contents);
  const look = count > 1 && count * cellWidth(all, FEW) > across ? MANY : FEW;
  const cell = cellWidth(all, look);
  const columns = Math.max(1, Math.min(count, lastDimension(index, storage, cell)));
  const rows = Math.ceil(count / columns);
  return { x, y: 0, head: 0, width: columns * cell, height: rows * look.height, cell, line: look.height, size: look.size, columns, rows, count, mode: "cells" };
}

/** @param {Contents[]} all @param {typeof FEW} look */
function cellWidth(all, look) {
  let width = look.least;
  for (const contents of all) {
    if (contents.kind !== "cells") continue;
    for (const value of contents.values) width = Math.max(width, monoWidth(element(value, contents.dtype), look.size) + look.inset);
  }
  return Math.min(CELL.most, Math.ceil(width));
}

/** A matrix keeps its rows where they fit. @param {Index} index @param {number} storage @param {number} cell */
function lastDimension(index, storage, cell) {
  const most = Math.floor(CELL.across / cell);
  const geometry = firstGeometry(index, storage);
  if (geometry?.stride == null) return most;
  const last = geometry.shape.at(-1) ?? 1;
  const isPlain = geometry.shape.length >= 2 && geometry.stride.at(-1) === 1 && geometry.storage_offset === 0;
  return isPlain && last > 1 && last * cell <= CELL.matrix ? last : most;
}

/** @type {WeakMap<Index, Map<number, Geometry>>} */
const geometries = new WeakMap();

/** How the first tensor with strides looked at a storage. @param {Index} index @param {number} storage */
function firstGeometry(index, storage) {
  let known = geometries.get(index);
  if (known === undefined) {
    known = new Map();
    for (const tensor of index.tensors) {
      const geometry = tensor.geometry?.[0]?.[1];
      if (geometry?.storage != null && geometry.stride !== null && !known.has(geometry.storage)) known.set(geometry.storage, geometry);
    }
    geometries.set(index, known);
  }
  return known.get(storage);
}

/**
 * Outlines of the cells a tensor looks at: one box per run of neighbours in a row of the strip, relative to the strip.
 * @param {Strip} strip
 * @param {import("../trace.d.ts").Geometry} geometry
 * @param {string} dtype of the cells
 */
export function windowsOf(strip, geometry, dtype) {
  if (strip.mode === "summary") return [{ x: 0, y: 0, width: strip.width, height: strip.height }];
  const ratio = itemsize(geometry.dtype) / itemsize(dtype);
  const cells = new Set(covered(geometry, 512).flatMap((at) => cellsUnder(at, ratio)).filter((cell) => cell < strip.count));
  /** @type {{begin: number, end: number}[]} */
  const runs = [];
  for (const cell of [...cells].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run !== undefined && run.end === cell && cell % strip.columns !== 0) run.end = cell + 1;
    else runs.push({ begin: cell, end: cell + 1 });
  }
  return joined(runs.map(({ begin, end }) => ({
    x: (begin % strip.columns) * strip.cell,
    y: Math.floor(begin / strip.columns) * strip.line,
    width: (end - begin) * strip.cell,
    height: strip.line,
  })));
}

/** @param {number} position @param {number} ratio */
function cellsUnder(position, ratio) {
  const begin = Math.floor(position * ratio);
  const end = Math.max(begin + 1, Math.ceil((position + 1) * ratio));
  return Array.from({ length: Math.min(end - begin, 16) }, (_, step) => begin + step);
}

/** Runs that stand exactly above each other are one outline. @param {{x: number, y: number, width: number, height: number}[]} boxes */
function joined(boxes) {
  /** @type {typeof boxes} */
  const result = [];
  for (const box of boxes) {
    const above = result.find((own) => own.x === box.x && own.width === box.width && own.y + own.height === box.y);
    if (above) above.height += box.height;
    else result.push({ ...box });
  }
  return result;
}
