/** Owns which tensors use which storages when, and which storages share a lane of the picture. Pure. */

import { everName } from "../run/naming.js";
import { perTrace } from "../run/per-run.js";

/** @import {Index} from "../run/types.d.ts" */

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

/**
 * The most storages that are shown at once, and the most tensors of one storage; the others are counted. What
 * a visitor pins is shown in any case.
 */
export const MOST_SHOWN = { storages: 1000, tensors: 24 };

/** After how many rows work pauses. */
export const PAUSE = 100;

/**
 * The ticks from which and until which each shown tensor uses a storage. Shown are tensors that are ever
 * named or saved, and their gradients.
 */
export const staysOf = perTrace((/** @type {Index} */ index) => {
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
export function tenantsOf(index, hidden) {
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
export function lanesOf(tenants, isPinned) {
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
 * Whether a tenant has a tensor that a visitor pinned.
 * @param {Index} index
 * @param {string[]} pinned
 * @returns {(tenant: Tenant) => boolean}
 */
export function pinnedIn(index, pinned) {
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
export function onTop(index, lanes, pinned) {
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
