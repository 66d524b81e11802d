/**
 * Folds freed storages of the memory picture into one line. A storage folds at the end of the round or call
 * in which it was freed, or else when the snippet ends. Pure.
 */

import { addTo } from "../../run/grouped.js";
import { perRun, perTrace } from "../../run/per-run.js";
import { firstWhere, upTo } from "../../run/sorted.js";
import { loopsOf } from "../../run/stops/loops.js";

/** @import {FoldedStorages, Index} from "../../run/types.d.ts" */
/** @import {Lane} from "../memory-lanes.js" */
/** @import {Tenant} from "../memory-tenants.js" */

/** The key of the group that contains the freed storages. */
export const FREED = "freed";

/**
 * The minimum number of names whose freed storages are folded. With fewer names, freed storages stay in
 * their rows.
 */
const LEAST = 4;

/** @typedef {Map<Tenant, number>} Overs the tick at which a tenant's row ends; without one, the row stays */

/**
 * The tick from which each freed storage or group is folded or no longer drawn. A freed storage keeps its
 * row if the visitor pinned it, if a finding mentions it, or if a write made one of its saved tensors stale.
 * @param {Index} index
 * @param {Tenant[]} tenants
 * @param {(tenant: Tenant) => boolean} isPinned
 * @returns {Overs} empty if too few names are freed
 */
export function foldingFrom(index, tenants, isPinned) {
  const [spans, mentioned] = [spansOf(index), mentionedIn(index)];
  const isMentioned = (/** @type {Tenant} */ { storage, fold }) =>
    mentioned.has(storage ?? -1) || fold?.members.some((member) => mentioned.has(member.storage)) === true;
  /** @type {Overs} */
  const overs = new Map();
  /** @type {Set<string>} */
  const names = new Set();
  for (const tenant of tenants) {
    if (tenant.to === Infinity || isPinned(tenant) || isMentioned(tenant)) continue;
    const over = tenant.isCut ? tenant.to : spans.overAfter(tenant.to);
    if (over === Infinity) continue;
    overs.set(tenant, over);
    if (!tenant.isCut) names.add(tenant.name || tenant.key);
  }
  return names.size < LEAST ? new Map() : overs;
}

/**
 * The rounds and calls of a run as spans of ticks, parents before children. `parents` has the number of each
 * span's parent; -1: none. `innermost` returns the number of the innermost span that contains a tick.
 * `overAfter` returns the tick of the first statement after that span; Infinity: there is none.
 */
const spansOf = perRun((/** @type {Index} */ index) => {
  const begins = index.steps.flatMap(({ kind, began }) => (kind === "statement" ? [began] : []));
  begins.sort((a, b) => a - b);
  const final = index.stops.at(-1);
  // If the run ends with a statement at the top level of the snippet, the calls in this statement end with
  // it.
  const end = final?.step.kind === "statement" && !final.step.frame ? final.tick : -Infinity;
  const after = (/** @type {number} */ tick) => begins[upTo(begins, tick)] ?? (tick <= end ? end : Infinity);
  const spans = [...callsOf(index, after), ...roundsOf(index, after)].filter(({ over }) => over < Infinity);
  spans.sort((a, b) => a.from - b.from || b.over - a.over);
  /** @type {number[]} */
  const parents = [];
  const around = (/** @type {number} */ first, /** @type {number} */ tick) => {
    let at = first;
    while (at >= 0 && (spans[at]?.over ?? 0) <= tick) at = parents[at] ?? -1;
    return at;
  };
  for (const [number, { from }] of spans.entries()) parents.push(around(number - 1, from));
  const innermost = (/** @type {number} */ tick) =>
    around(firstWhere(spans.length, (at) => (spans[at]?.from ?? 0) > tick) - 1, tick);
  const last = begins.at(-1) ?? -1;
  const overAfter = (/** @type {number} */ tick) =>
    spans[innermost(tick)]?.over ?? (tick < last ? last : Infinity);
  return { spans, parents, innermost, overAfter };
});

/** @typedef {{from: number, over: number}} Span `over`: when the next statement begins */

/**
 * @param {Index} index
 * @param {(tick: number) => number} after
 * @returns {Span[]}
 */
function callsOf({ frames }, after) {
  return frames.slice(1).map(({ began, ended }) => ({ from: began, over: after(ended ?? Infinity) }));
}

/**
 * @param {Index} index
 * @param {(tick: number) => number} after
 * @returns {Span[]}
 */
function roundsOf(index, after) {
  const begunAt = (/** @type {number | undefined} */ k) => index.stops[k ?? -1]?.step.began ?? Infinity;
  return loopsOf(index).flatMap(({ rounds, end, frame }) => {
    const next = index.stops[end]?.step;
    const isBeside = next?.kind === "statement" && next.frame === frame;
    const over = isBeside ? next.began : after(index.stops[end - 1]?.tick ?? Infinity);
    return rounds.map((k, place) => ({
      from: begunAt(k),
      over: place + 1 < rounds.length ? begunAt(rounds[place + 1]) : over,
    }));
  });
}

/** The storages that a finding mentions, and the storages with a saved tensor that a write made stale. */
const mentionedIn = perTrace((/** @type {Index} */ index) => {
  const { saved_tensors, findings, tensors } = index;
  const stale = saved_tensors.filter(
    ({ outdated, overwritten }) => (outdated ?? []).length + (overwritten ?? []).length > 0,
  );
  const found = findings.flatMap((finding) => [
    ...(finding.storages ?? []),
    ...(finding.saved_tensors ?? []).map((id) => saved_tensors[id]?.geometry.storage),
    ...(finding.tensors ?? []).flatMap((id) =>
      (tensors[id]?.geometry ?? []).map(([, { storage }]) => storage),
    ),
  ]);
  return new Set([...stale.map(({ geometry }) => geometry.storage), ...found]);
});

/**
 * Divides storages and groups by how long they need a row. `passing` has, for each round or call, the
 * storages that exist only during it. The rows of these storages are removed at the end of the round or
 * call. `lasting` has all others: groups, storages with a name that is still in use, and gradients of
 * lasting storages.
 * @param {Index} index
 * @param {Tenant[]} tenants
 * @param {Overs} overs
 * @param {(tenant: Tenant) => Tenant | undefined} ownerOf
 * @param {boolean} areShown whether freed storages keep their rows
 * @returns {{lasting: Tenant[], passing: Map<number, Tenant[]>, parents: number[]}} the key -1 is the whole
 *   run
 */
export function byLife(index, tenants, overs, ownerOf, areShown) {
  const { spans, parents, innermost } = spansOf(index);
  const stay = new Set(tenants.flatMap((tenant) => (overs.has(tenant) ? [] : [tenant.name])).filter(Boolean));
  /** @type {Map<Tenant, number>} */
  const homes = new Map();
  /** @type {Tenant[]} */
  const lasting = [];
  /** @type {Map<number, Tenant[]>} */
  const passing = new Map();
  for (const tenant of tenants) {
    const over = overs.get(tenant) ?? Infinity;
    const isPassing = over < Infinity && tenant.fold === null && tenant.owner === null;
    const owner = isPassing ? ownerOf(tenant) : undefined;
    let home = owner === undefined ? innermost(tenant.from) : (homes.get(owner) ?? -2);
    if (!isPassing || stay.has(tenant.name) || home === -2) {
      lasting.push(tenant);
      continue;
    }
    while (home >= 0 && (spans[home]?.over ?? 0) < over) home = parents[home] ?? -1;
    homes.set(tenant, home);
    addTo(passing, areShown ? -1 : home, tenant);
  }
  return { lasting, passing, parents };
}

/**
 * Sorts lanes in place. A family is a lane with the lanes of its gradients and optimizer state. Families
 * with a storage that is never folded come first, and the line of freed storages follows them. Returns the
 * number of lanes before that line.
 * @param {Lane[]} lanes
 * @param {Overs} overs
 */
export function livingFirst(lanes, overs) {
  const rootOf = (/** @type {Lane} */ lane) => {
    let root = lane;
    while (root.owner !== null) root = root.owner;
    return root;
  };
  const living = new Set(
    lanes.filter(({ tenants }) => tenants.some((tenant) => !overs.has(tenant))).map(rootOf),
  );
  const isOver = (/** @type {Lane} */ lane) => Number(!living.has(rootOf(lane)));
  lanes.sort((a, b) => isOver(a) - isOver(b));
  return firstWhere(lanes.length, (place) => isOver(/** @type {Lane} */ (lanes[place])) === 1);
}

/**
 * The group that contains the freed storages.
 * @param {Overs} overs
 * @param {boolean} isOpen
 * @returns {FoldedStorages}
 */
export function freedFold(overs, isOpen) {
  const group = { key: FREED, parent: -1, scopes: [], first: Infinity };
  const members = [...overs].flatMap(([{ storage, isCut, fold, name }, from]) => {
    if (isCut) return [];
    const role = /** @type {const} */ ("freed");
    const all = fold === null ? [{ storage, name }] : fold.isOpen ? [] : fold.members;
    return all.flatMap((each) =>
      each.storage === null ? [] : [{ storage: each.storage, from, to: Infinity, role, name: each.name }],
    );
  });
  return { group, isOpen, members: members.sort((a, b) => a.from - b.from) };
}
