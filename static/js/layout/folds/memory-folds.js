/**
 * Groups the storages of the memory picture that can be folded: storages of a module, and storages that only
 * the graph keeps alive. A storage that only the graph keeps alive is grouped by the round, call or module
 * that created the Node which saved it. Pure.
 */

import { addTo } from "../../run/grouped.js";
import { ownerIn } from "../memory-lanes.js";
import { levelsOpen, moduleGroups } from "./module-folds.js";
import { spansOf } from "../memory-widths.js";

/** @import {FoldedRole, FoldedStorages, Folding, Group, Index} from "../../run/types.d.ts" */
/** @import {Tenant} from "../memory-tenants.js" */

/** If the graph alone keeps at most this number of storages alive, their groups are open at first. */
const MOST_OPEN = 12;

/**
 * `groups` has the groups of the graph, with an additional group around the rounds of each loop, then from
 * number `modules` on the groups of modules. `of` has the group of each storage, and the tick since which
 * the storage belongs to its group.
 * @typedef {{
 *   groups: Group[],
 *   modules: number,
 *   of: Map<Tenant, {group: number, since: number, role: FoldedRole}>,
 * }} Foldable
 */

/**
 * @param {Index} index
 * @param {Tenant[]} tenants
 * @param {Folding} folding
 * @param {(tenant: Tenant) => boolean} isPinned
 * @returns {Foldable}
 */
export function foldableOf(index, tenants, { groups, homes }, isPinned) {
  const held = moduleGroups(index, tenants, ownerIn(index, tenants), isPinned);
  const kept = groups.length === 0 ? [] : withLoops(groups);
  /** @type {Foldable["of"]} */
  const of = new Map();
  for (const tenant of tenants) {
    const module = held.of.get(tenant);
    const found = module || kept.length === 0 || isPinned(tenant) ? null : keptIn(index, tenant, homes);
    if (found !== null) of.set(tenant, { ...found, role: "kept" });
    if (module) of.set(tenant, { ...module, group: kept.length + module.group, since: tenant.from });
  }
  const moved = held.groups.map((group) => ({
    ...group,
    parent: group.parent < 0 ? -1 : kept.length + group.parent,
  }));
  return { groups: [...kept, ...moved], modules: kept.length, of };
}

/**
 * The group of the first Node that saved a tensor of the storage, and the tick since which only the graph
 * keeps the storage alive. Null if anything else keeps the storage alive. Null also if a write made a saved
 * tensor stale, because a stale tensor must stay visible.
 * @param {Index} index
 * @param {Tenant} tenant
 * @param {number[]} homes
 */
function keptIn(index, { storage, from, to }, homes) {
  if (storage === null) return null;
  const saved = index.lookups.saved_in()(storage);
  const group = homes[saved.find(({ node }) => (homes[node] ?? -1) >= 0)?.node ?? -1] ?? -1;
  if (group < 0) return null;
  const since = Math.max(from, namedUntil(index, storage));
  const isKept = saved.some(({ released }) => (released ?? Infinity) > since);
  const isStale = saved.some(
    ({ outdated, overwritten }) => (outdated ?? []).length + (overwritten ?? []).length > 0,
  );
  return since < to && isKept && !isStale ? { group, since } : null;
}

/**
 * The tick from which no tensor of a storage has a name; 0 if none ever has a name.
 * @param {Index} index
 * @param {number} storage
 */
function namedUntil(index, storage) {
  const { names_of, owners_of, tensors_in } = index.lookups;
  let until = 0;
  for (const { id } of tensors_in()(storage)) {
    for (const { tensor, frame } of names_of()(id)) {
      const over = frame === 0 ? Infinity : (index.frames[frame]?.ended ?? Infinity);
      for (const [, end] of spansOf(tensor ?? [], id, over)) until = Math.max(until, end);
    }
    for (const { grad, died } of owners_of()(id))
      for (const [, end] of spansOf(grad ?? [], id, died ?? Infinity)) until = Math.max(until, end);
  }
  return until;
}

/**
 * Adds a group around the rounds of each loop that has no group of its own.
 * @param {Group[]} groups
 * @returns {Group[]}
 */
function withLoops(groups) {
  const all = groups.map((group) => ({ ...group }));
  /** @type {Map<number, number[]>} */
  const inner = new Map();
  for (const [number, { parent }] of groups.entries()) addTo(inner, parent, number);
  for (const [parent, numbers] of inner) {
    for (const rounds of loopsIn(groups, numbers)) {
      if (parent >= 0 && rounds.length === numbers.length) continue;
      const [first, last] = [groups[rounds[0] ?? -1], groups[rounds.at(-1) ?? -1]];
      const [begin, end] = [first?.scopes[0], last?.scopes[0]];
      if (first === undefined || begin === undefined || end === undefined) continue;
      if (begin.kind !== "round" && begin.kind !== "rounds") continue;
      for (const number of rounds) if (all[number]) all[number].parent = all.length;
      all.push({
        key: `loop ${first.key}`,
        parent,
        scopes: [{ kind: "rounds", line: begin.line, first: firstOf(begin), last: lastOf(end) }],
        first: first.first,
      });
    }
  }
  return all;
}

/** @typedef {Group["scopes"][number]} Scope */

/** @param {Scope} scope */
function firstOf(scope) {
  return scope.kind === "round" ? scope.round : scope.kind === "rounds" ? scope.first : 0;
}

/** @param {Scope} scope */
function lastOf(scope) {
  return scope.kind === "round" ? scope.round : scope.kind === "rounds" ? scope.last : 0;
}

/**
 * For each loop with at least two rounds among the given groups, the numbers of these groups.
 * @param {Group[]} groups
 * @param {number[]} numbers of groups with the same parent
 */
function loopsIn(groups, numbers) {
  /** @type {Map<number, number[]>} */
  const byLine = new Map();
  for (const number of numbers) {
    const scope = groups[number]?.scopes[0];
    if (scope?.kind !== "round" && scope?.kind !== "rounds") continue;
    addTo(byLine, scope.line, number);
  }
  return [...byLine.values()].filter((rounds) => rounds.length > 1);
}

/**
 * The groups of the memory picture that are open before a visitor opens or folds any.
 * @param {Foldable} foldable
 */
export function openAtFirst({ groups, modules, of }) {
  const kept = [...of.values()].filter(({ role }) => role === "kept").length;
  const open = kept <= MOST_OPEN ? groups.slice(0, modules).map(({ key }) => key) : [];
  const held = [...of].filter(([, { role }]) => role !== "kept");
  return new Set([...open, ...levelsOpen(groups, modules, held)]);
}

/**
 * The tenants, which each take a row of the picture: a storage, a folded group, or the title of an open
 * group, which precedes the group's contents.
 * @param {Tenant[]} tenants
 * @param {Foldable} foldable
 * @param {Set<string>} open
 * @returns {Tenant[]}
 */
export function foldedTenants(tenants, { groups, of }, open) {
  /** @type {Map<number, Tenant>} */
  const made = new Map();
  /** @type {Tenant[]} */
  const others = [];
  for (const tenant of tenants) {
    const kept = of.get(tenant);
    if (kept === undefined) {
      others.push(tenant);
      continue;
    }
    const way = wayTo(groups, kept.group);
    const folded = way.findIndex((group) => !open.has(groups[group]?.key ?? ""));
    const shown = folded < 0 ? way : way.slice(0, folded + 1);
    const { role } = kept;
    const member = {
      storage: tenant.storage ?? -1,
      from: kept.since,
      to: tenant.to,
      role,
      name: tenant.name,
    };
    for (const [place, group] of shown.entries())
      note(made, groups, group, made.get(shown[place - 1] ?? -1), member, place !== folded);
    if (folded < 0) {
      const isUnderTitle = kept.since <= tenant.from && role !== "gradient" && role !== "state";
      others.push(isUnderTitle ? { ...tenant, owner: made.get(kept.group) ?? null } : tenant);
    } else if (kept.since > tenant.from) others.push({ ...tenant, to: kept.since, isCut: true });
  }
  for (const { fold } of made.values()) fold?.members.sort((a, b) => a.from - b.from);
  return [...made.values(), ...others].sort((a, b) => a.from - b.from);
}

/**
 * The numbers of a group and of all groups that contain it, outermost first.
 * @param {Group[]} groups
 * @param {number} group
 */
function wayTo(groups, group) {
  const way = [];
  for (let number = group; number >= 0; number = groups[number]?.parent ?? -1) way.unshift(number);
  return way;
}

/**
 * @param {Map<number, Tenant>} made
 * @param {Group[]} groups
 * @param {number} number
 * @param {Tenant | undefined} owner the title of the group around it
 * @param {FoldedStorages["members"][number]} member
 * @param {boolean} isOpen
 */
function note(made, groups, number, owner, member, isOpen) {
  const group = /** @type {Group} */ (groups[number]);
  const tenant = made.get(number) ?? {
    ...{ key: `f${group.key}`, storage: null, name: "", from: Infinity, to: -Infinity, stays: [] },
    ...{ owner: owner ?? null, isCut: false, fold: { group, isOpen, members: [] } },
  };
  made.set(number, tenant);
  tenant.from = Math.min(tenant.from, member.from);
  tenant.to = Math.max(tenant.to, member.to);
  tenant.fold?.members.push(member);
}
