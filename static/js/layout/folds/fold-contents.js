/**
 * Describes the contents of a folded group of storages at a step: the number and size of the storages, and
 * which of them the step changes or reads. A group of a module also lists the roles of its storages, another
 * group the Nodes that saved them. Pure.
 */

import { at } from "../../run/facts.js";
import { shortName } from "../../run/values/format.js";
import { perRun, perTrace } from "../../run/per-run.js";
import { firstWhere, upTo } from "../../run/sorted.js";

/** @import {FoldedRole, FoldedStorages, Index, State} from "../../run/types.d.ts" */

/** @typedef {{tick: number, count: number, bytes: number}} Sum after a tick */

/**
 * @param {Index} index
 * @param {State} state
 * @param {FoldedStorages} fold
 */
export function foldContentsAt(index, state, fold) {
  const { tick, before, writes } = state;
  const { sums, born, savers, roles, storages, stale } = factsOf(index)(fold);
  const now = sums[firstWhere(sums.length, (place) => (sums[place]?.tick ?? 0) > tick) - 1];
  const count = now?.count ?? 0;
  return {
    count,
    bytes: now?.bytes ?? 0,
    /** The number of storages of the group that were allocated until this step, freed ones included. */
    born: upTo(born, tick),
    isFreed: count === 0,
    isNew: upTo(born, tick) > upTo(born, before),
    isWritten: writes.some((write) => write.changed !== false && storages.has(write.storage)),
    savers: countedAt(savers, tick)
      .sort((a, b) => b.count - a.count)
      .map(({ name }) => name),
    /** The number of storages with a saved tensor that is outdated or overwritten. */
    stale: stale.filter((saved) => saved.some((id) => state.saved.get(id) === "stale")).length,
    /** In the group of a module: the number of storages of each role. */
    roles: countedAt(roles, tick),
    about: aboutIn(index, state, fold, storages),
  };
}

/** @typedef {Map<string, {from: number[], to: number[]}>} Spans by name, in order of time */

/**
 * For each name, the number of its spans of time that contain a tick; names without such a span are left
 * out.
 * @param {Spans} spans
 * @param {number} tick
 */
function countedAt(spans, tick) {
  return [...spans]
    .map(([name, { from, to }]) => ({ name, count: upTo(from, tick) - upTo(to, tick) }))
    .filter(({ count }) => count > 0);
}

/**
 * The storages of a folded module to mention at a step: the written storages, or else the new ones, or else
 * the storages of the running Node's saved tensors; null: there are none.
 * @param {Index} index
 * @param {State} state
 * @param {FoldedStorages} fold
 * @param {Map<number, string>} storages
 * @returns {{what: "written" | "new" | "read", names: string[]} | null}
 */
function aboutIn(index, { tick, before, writes, stop }, { members }, storages) {
  if (members[0]?.role === "kept") return null;
  const named = (/** @type {(number | null)[]} */ found) =>
    [...new Set(found)].flatMap((storage) => storages.get(storage ?? -1) ?? []);
  const later = (/** @type {number} */ than) =>
    firstWhere(members.length, (place) => (members[place]?.from ?? 0) > than);
  const fresh = members.slice(later(before), later(tick)).map(({ storage }) => storage);
  const written = writes.filter(({ changed }) => changed !== false).map(({ storage }) => storage);
  const saved = index.saved_of[stop.node ?? -1] ?? [];
  const found = /** @type {const} */ ([
    ["written", named(written.filter((storage) => !fresh.includes(storage)))],
    ["new", named(fresh)],
    ["read", named(saved.map(({ geometry }) => geometry.storage))],
  ]).find(([, names]) => names.length > 0);
  return found === undefined ? null : { what: found[0], names: found[1] };
}

/**
 * A name without the path of the group's module: `ln1.weight` for `model.blocks[0].ln1.weight`.
 * @param {string} name
 * @param {FoldedStorages["group"]} group
 */
function within(name, { scopes }) {
  const [scope] = scopes;
  const path = scope?.kind === "path" ? (scope.name.split(" · ")[0] ?? "") : "";
  return name.startsWith(path) && path !== "" ? name.slice(path.length).replace(/^\./, "") : name;
}

const factsOf = perTrace((/** @type {Index} */ index) =>
  perRun((/** @type {FoldedStorages} */ fold) => factsAbout(index, fold)),
);

/**
 * @param {Index} index
 * @param {FoldedStorages} fold
 */
function factsAbout(index, { group, members }) {
  /** @type {Sum[]} */
  const changes = [];
  /** @type {Spans} */
  const savers = new Map();
  /** @type {Spans} */
  const roles = new Map(ROLES.map((role) => [role, { from: [], to: [] }]));
  for (const { storage, from, to, role } of members) {
    const sizes = index.storages[storage]?.nbytes ?? [];
    let size = at(sizes, from) ?? 0;
    changes.push({ tick: from, count: 1, bytes: size });
    for (const [tick, bytes] of sizes) {
      if (tick <= from || tick >= to) continue;
      changes.push({ tick, count: 0, bytes: bytes - size });
      size = bytes;
    }
    changes.push({ tick: to, count: -1, bytes: -size });
    if (role !== "kept") note(roles, role, from, to);
    for (const saved of role === "kept" ? index.lookups.saved_in()(storage) : [])
      note(
        savers,
        shortName(index.nodes[saved.node]?.name ?? "?"),
        Math.max(from, saved.tick),
        Math.min(to, saved.released ?? Infinity),
      );
  }
  for (const spans of [savers, roles])
    for (const { from, to } of spans.values()) for (const ticks of [from, to]) ticks.sort((a, b) => a - b);
  let [count, bytes] = [0, 0];
  const sums = changes
    .sort((a, b) => a.tick - b.tick)
    .map((change) => {
      count += change.count;
      bytes += change.bytes;
      return { tick: change.tick, count, bytes };
    });
  return {
    sums,
    born: members.map(({ from }) => from).sort((a, b) => a - b),
    savers,
    roles,
    stale: members.flatMap(({ storage }) => {
      const ever = index.lookups.saved_in()(storage).filter(isEverStale);
      return ever.length === 0 ? [] : [ever.map(({ id }) => id)];
    }),
    storages: new Map(members.map(({ storage, name }) => [storage, within(name, group)])),
  };
}

/** @param {Index["saved_tensors"][number]} saved */
function isEverStale({ outdated, overwritten }) {
  return (outdated ?? []).length + (overwritten ?? []).length > 0;
}

/**
 * The order in which a folded group lists the roles of its storages.
 * @type {FoldedRole[]}
 */
const ROLES = ["parameter", "buffer", "gradient", "state", "other"];

/**
 * @param {Spans} spans
 * @param {string} name
 * @param {number} from
 * @param {number} to
 */
function note(spans, name, from, to) {
  if (from >= to) return;
  const known = spans.get(name) ?? { from: [], to: [] };
  spans.set(name, known);
  known.from.push(from);
  known.to.push(to);
}
