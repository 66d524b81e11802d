/**
 * Owns the assignment of storages to rows of the memory picture. A lane is a row that storages use one after
 * the other. Lanes are assigned once for the whole trace, so no row ever moves or changes its height. Pure.
 */

import { everName } from "../run/naming/naming.js";
import { MOST_SHOWN, PAUSE } from "./memory-tenants.js";

/** @import {Index} from "../run/types.d.ts" */
/** @import {Tenant} from "./memory-tenants.js" */

/**
 * @typedef {{tenants: Tenant[], height: number, to: number, owner: Lane | null, isPinned: boolean}} Lane
 *   `to`: the tick at which the lane's last storage is freed; `owner`: for a gradient, the lane of its
 *   owner, or for a storage in an open group, the lane of the group's title
 */
/** @typedef {{tenants: Tenant[], height: number, from: number, to: number}} Chain the tenants of one name */

/**
 * The lanes in drawing order, pinned names first. A lane shows one storage at a time, and no storage is
 * higher than its lane. All storages of a name use the same lane, which is free for other names after the
 * last of these storages. The lane of a gradient is next to its owner's lane. `others` has the storages
 * without a lane.
 * @param {Index} index
 * @param {Tenant[]} tenants
 * @param {Map<Tenant, number>} heights
 * @param {string[]} pinned
 * @returns {Generator<void, {lanes: Lane[], others: Tenant[]}>}
 */
export function* lanesOf(index, tenants, heights, pinned) {
  const isPinned = pinnedIn(index, pinned);
  const chains = yield* chainsOf(tenants, heights);
  const ownerOf = ownerIn(index, tenants);
  /** @type {Lane[]} */
  const lanes = [];
  /** @type {Map<Tenant, Lane>} */
  const laneOf = new Map();
  /** @type {Tenant[]} */
  const others = [];
  for (const [number, chain] of chains.entries()) {
    if (number % PAUSE === 0) yield;
    const [first] = chain.tenants;
    const owner = laneOf.get(/** @type {Tenant} */ (first?.owner ?? ownerOf(first) ?? first)) ?? null;
    const isOnTop = chain.tenants.some(isPinned);
    let lane = isOnTop ? undefined : freeLane(lanes, chain, owner);
    if (lane === undefined) {
      if (lanes.length >= MOST_SHOWN.storages && !isOnTop) {
        others.push(...chain.tenants);
        continue;
      }
      lane = { tenants: [], height: chain.height, to: 0, owner, isPinned: isOnTop };
      lanes.push(lane);
    }
    lane.tenants.push(...chain.tenants);
    lane.to = chain.to;
    for (const tenant of chain.tenants) laneOf.set(tenant, lane);
  }
  return { lanes: onTop(index, inFamilies(index, byScope(index, lanes)), pinned), others };
}

/**
 * Divides the storages of each name into as few chains as possible, so that the storages of a chain never
 * exist at the same time. Each unnamed storage is a separate chain.
 * @param {Tenant[]} tenants
 * @param {Map<Tenant, number>} heights
 * @returns {Generator<void, Chain[]>}
 */
function* chainsOf(tenants, heights) {
  /** @type {Chain[]} */
  const chains = [];
  /**
   * @type {Map<string, {chains: Chain[], soonest: number}>} `soonest`: the tick at which the first chain is
   *   free
   */
  const named = new Map();
  for (const [number, tenant] of tenants.entries()) {
    if (number % PAUSE === 0) yield;
    const { name, from, to } = tenant;
    const height = heights.get(tenant) ?? 0;
    const known = named.get(name) ?? { chains: [], soonest: Infinity };
    const chain = known.soonest <= from ? known.chains.find((each) => each.to <= from) : undefined;
    if (chain === undefined) {
      const fresh = { tenants: [tenant], height, from, to };
      chains.push(fresh);
      if (name === "") continue;
      named.set(name, known);
      known.chains.push(fresh);
      known.soonest = Math.min(known.soonest, to);
    } else {
      chain.tenants.push(tenant);
      chain.height = Math.max(chain.height, height);
      chain.to = to;
      known.soonest = known.chains.reduce((soonest, each) => Math.min(soonest, each.to), Infinity);
    }
  }
  return chains;
}

/**
 * The free lane with the smallest sufficient height for a chain. Of several such lanes, the lane that has
 * been free the longest is used. Only storages with the same owner share a lane.
 * @param {Lane[]} lanes
 * @param {Chain} chain
 * @param {Lane | null} owner
 */
function freeLane(lanes, { from, height }, owner) {
  /** @type {Lane | undefined} */
  let best;
  for (const lane of lanes) {
    if (lane.to > from || lane.height < height || lane.owner !== owner || lane.isPinned) continue;
    if (best === undefined || lane.height < best.height || (lane.height === best.height && lane.to < best.to))
      best = lane;
  }
  return best;
}

/**
 * A function that returns the owner of a tenant: for a gradient, the tenant of its leaf; for optimizer state,
 * the tenant of its Parameter.
 * @param {Index} index
 * @param {Tenant[]} tenants
 * @returns {(tenant: Tenant | undefined) => Tenant | undefined}
 */
export function ownerIn(index, tenants) {
  const owners = index.lookups.owners_of();
  const keysOf = (/** @type {number} */ tensor) => {
    const names = index.lookups.names_of()(tensor);
    return names.some(({ key }) => key === undefined) ? [] : names.flatMap(({ key }) => key ?? []);
  };
  /** @type {Map<number, Tenant>} */
  const holders = new Map();
  for (const tenant of tenants)
    for (const { tensor } of tenant.stays) if (!holders.has(tensor)) holders.set(tensor, tenant);
  return (first) => {
    for (const { tensor } of first?.stays ?? [])
      for (const owner of [...owners(tensor).map(({ id }) => id), ...keysOf(tensor)]) {
        const holder = holders.get(owner);
        if (holder !== undefined && holder !== first) return holder;
      }
    return undefined;
  };
}

/**
 * Sorts lanes: first global names of the snippet, then variables of its functions, then storages that only
 * the graph keeps alive. A forward pass creates many storages of the last kind, and rows for them between
 * the parameters and the loss would push one of these out of sight.
 * @param {Index} index
 * @param {Lane[]} lanes
 */
function byScope(index, lanes) {
  const names = index.lookups.names_of();
  const scopeOf = (/** @type {number} */ tensor) =>
    names(tensor).some(({ frame }) => frame === 0) ? 0 : everName(index, tensor) === undefined ? 2 : 1;
  const scopes = new Map(
    lanes.map((lane) => {
      let scope = lane.tenants.some(({ fold }) => fold !== null && fold.members[0]?.role !== "kept") ? 0 : 2;
      for (const { stays } of lane.tenants)
        for (const { tensor } of stays) scope = Math.min(scope, scopeOf(tensor));
      return [lane, scope];
    }),
  );
  return lanes.sort((a, b) => (scopes.get(a) ?? 0) - (scopes.get(b) ?? 0));
}

/**
 * Sorts lanes so that each lane is followed by the lanes of its gradients, then by the lanes of its
 * optimizer state. In the given list, an owner's lane already precedes these.
 * @param {Index} index
 * @param {Lane[]} lanes
 */
function inFamilies(index, lanes) {
  const owners = index.lookups.owners_of();
  const isGradient = (/** @type {Lane} */ { tenants }) =>
    tenants[0]?.stays.some(({ tensor }) => owners(tensor).length > 0) === true;
  /** @type {Map<Lane, Lane[]>} */
  const families = new Map();
  for (const lane of lanes) {
    if (lane.owner === null) continue;
    const family = families.get(lane.owner) ?? [];
    families.set(lane.owner, family);
    family.push(lane);
  }
  for (const family of families.values())
    family.sort((a, b) => Number(isGradient(b)) - Number(isGradient(a)));
  /** @type {Lane[]} */
  const ordered = [];
  const waiting = lanes.filter((lane) => lane.owner === null).reverse();
  for (let lane = waiting.pop(); lane !== undefined; lane = waiting.pop()) {
    ordered.push(lane);
    waiting.push(...(families.get(lane) ?? []).reverse());
  }
  return ordered;
}

/**
 * A function that returns whether a visitor pinned a tensor of a tenant.
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
 * The lanes, with pinned names first, in the order of pinning.
 * @param {Index} index
 * @param {Lane[]} lanes
 * @param {string[]} pinned
 */
function onTop(index, lanes, pinned) {
  if (pinned.length === 0) return lanes;
  const places = new Map(pinned.map((name, place) => [name, place]));
  const placeOf = new Map(
    lanes.map((lane) => {
      let place = pinned.length;
      for (const { stays } of lane.tenants)
        for (const { tensor } of stays)
          place = Math.min(place, places.get(everName(index, tensor) ?? "") ?? place);
      return [lane, place];
    }),
  );
  return lanes.sort((a, b) => (placeOf.get(a) ?? 0) - (placeOf.get(b) ?? 0));
}
