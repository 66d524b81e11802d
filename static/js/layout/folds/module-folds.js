/**
 * Groups the storages of the memory picture that fold with a module: its Parameters and buffers, their
 * gradients, and their optimizer state. Pure.
 */

import { everName, isBuffer, isOfOptimizer, isParameter } from "../../run/naming/naming.js";

/** @import {FoldedRole, Group, Index} from "../../run/types.d.ts" */
/** @import {Tenant} from "../memory-tenants.js" */

/**
 * If modules have at most `unfolded` rows in total, no row is folded. Otherwise levels of modules open as
 * long as at most `opened` rows are shown.
 */
const MOST = { unfolded: 36, opened: 24 };

/** A module with fewer rows has no group of its own. */
const LEAST_ROWS = 2;

/**
 * If at most this number of storages ever have a stale saved tensor, these storages never fold with their
 * module.
 */
const MOST_STALE = 12;

/** How far the owner of a gradient is followed, as from `w.grad.grad` to `w`. */
const MOST_OWNERS = 4;

/**
 * `path`: the path of the module that holds the storage, with the function of the variable; `role`: the
 * storage's role in the module.
 * @typedef {{path: string, role: FoldedRole}} Held
 */

/**
 * A group for each module, parents before children, and the group of each storage that folds with a module.
 * If the modules have few rows in total, there are no groups.
 * @param {Index} index
 * @param {Tenant[]} tenants
 * @param {(tenant: Tenant) => Tenant | undefined} ownerOf the owner of a gradient or of an optimizer's state
 * @param {(tenant: Tenant) => boolean} isPinned
 * @returns {{groups: Group[], of: Map<Tenant, {group: number, role: FoldedRole}>}}
 */
export function moduleGroups(index, tenants, ownerOf, isPinned) {
  const held = withOwned(index, tenants, heldIn(index, tenants, ownerOf), ownerOf);
  const isFew = new Set([...held.keys()].map(({ name }) => name)).size <= MOST.unfolded;
  /** @type {Group[]} */
  const groups = [];
  /** @type {Map<Tenant, {group: number, role: FoldedRole}>} */
  const of = new Map();
  if (isFew) return { groups, of };
  const stale = [...held.keys()].filter((tenant) => isEverStale(index, tenant));
  const shown = new Set(stale.length <= MOST_STALE ? stale : []);
  const wanted = new Map([...held].filter(([tenant]) => !shown.has(tenant) && !isPinned(tenant)));
  for (const root of treeOf(wanted).values()) group(root, -1, groups, of, wanted);
  return { groups, of };
}

/**
 * The storages that belong to modules. An object counts as a module if it has a Parameter or a buffer, or if
 * the snippet calls it as a module. All tensors in such an object belong to the module.
 * @param {Index} index
 * @param {Tenant[]} tenants
 * @param {(tenant: Tenant) => Tenant | undefined} ownerOf
 */
function heldIn(index, tenants, ownerOf) {
  /** @type {Map<Tenant, Held>} */
  const held = new Map();
  const holders = new Set(
    index.modules.flatMap(({ parent, name }) => (parent === undefined ? (name ?? []) : [])),
  );
  for (const tenant of tenants)
    for (const { tensor } of tenant.stays) {
      const role = isParameter(index, tensor) ? "parameter" : isBuffer(index, tensor) ? "buffer" : null;
      const path = role === null ? null : holderOf(everName(index, tensor) ?? "");
      if (role === null || path === null) continue;
      held.set(tenant, { path, role });
      holders.add(path);
      break;
    }
  for (const tenant of tenants) {
    const path = held.has(tenant) || ownerOf(tenant) !== undefined ? null : holderOf(tenant.name);
    if (path !== null && waysTo(path).some((way) => holders.has(way)))
      held.set(tenant, { path, role: "other" });
  }
  return held;
}

/**
 * The storages that belong to modules, together with their gradients and optimizer state.
 * @param {Index} index
 * @param {Tenant[]} tenants
 * @param {Map<Tenant, Held>} held
 * @param {(tenant: Tenant) => Tenant | undefined} ownerOf
 */
function withOwned(index, tenants, held, ownerOf) {
  const owners = index.lookups.owners_of();
  const all = new Map(held);
  for (const tenant of held.size === 0 ? [] : tenants) {
    if (held.has(tenant)) continue;
    let owner = ownerOf(tenant);
    for (let far = 1; far < MOST_OWNERS && owner !== undefined && !held.has(owner); far += 1)
      owner = ownerOf(owner);
    const path = held.get(owner ?? tenant)?.path;
    if (path === undefined) continue;
    const isGradient = tenant.stays.some(({ tensor }) => owners(tensor).length > 0);
    all.set(tenant, { path, role: isGradient ? "gradient" : "state" });
  }
  return all;
}

/**
 * Whether a write ever makes a saved tensor of the storage stale.
 * @param {Index} index
 * @param {Tenant} tenant
 */
function isEverStale(index, { storage }) {
  return index.lookups
    .saved_in()(storage ?? -1)
    .some(({ outdated, overwritten }) => (outdated ?? []).length + (overwritten ?? []).length > 0);
}

/** Matches the steps of a path: `model`, `.blocks`, `[0]` or `['a.b']`. */
const STEPS = /^[^.[]+|\.[^.[]*|\[(?:'[^']*'|"[^"]*"|[^\]]*)\]/g;

/**
 * The path of the object that holds a named tensor: `model.blocks[0]` for `model.blocks[0].weight`. Null:
 * the tensor is a variable of its own, or part of an optimizer's state.
 * @param {string} name
 */
function holderOf(name) {
  const [path = "", ...functions] = name.split(" · ");
  const steps = isOfOptimizer(path) ? [] : (path.match(STEPS) ?? []);
  return steps.length < 2 ? null : [steps.slice(0, -1).join(""), ...functions].join(" · ");
}

/**
 * All prefixes of a path, the shortest first, and the path itself.
 * @param {string} name
 */
function waysTo(name) {
  const [path = "", ...functions] = name.split(" · ");
  const steps = path.match(STEPS) ?? [];
  return steps.map((_, at) => [steps.slice(0, at + 1).join(""), ...functions].join(" · "));
}

/**
 * A module, the storages that belong to it directly, and its submodules.
 * @typedef {{path: string, tenants: Tenant[], inner: Map<string, Module>}} Module
 */

/** @param {Map<Tenant, Held>} held */
function treeOf(held) {
  /** @type {Map<string, Module>} */
  const roots = new Map();
  for (const [tenant, { path }] of held) {
    let inner = roots;
    /** @type {Module | undefined} */
    let module;
    for (const way of waysTo(path)) {
      module = inner.get(way) ?? { path: way, tenants: [], inner: new Map() };
      inner.set(way, module);
      inner = module.inner;
    }
    module?.tenants.push(tenant);
  }
  return roots;
}

/**
 * @param {Module} module
 * @returns {Tenant[]}
 */
function allIn({ tenants, inner }) {
  return [...tenants, ...[...inner.values()].flatMap(allIn)];
}

/** @param {Tenant[]} tenants */
function rowCount(tenants) {
  return new Set(tenants.map(({ name }) => name)).size;
}

/**
 * Turns a module and its submodules into groups. A module that contains nothing but one submodule is merged
 * with that submodule.
 * @param {Module} module
 * @param {number} parent
 * @param {Group[]} groups
 * @param {Map<Tenant, {group: number, role: FoldedRole}>} of
 * @param {Map<Tenant, Held>} held
 */
function group(module, parent, groups, of, held) {
  const { path, tenants, inner } = module;
  const all = allIn(module);
  const [only] = inner.values();
  if (only !== undefined && inner.size === 1 && tenants.length === 0)
    return group(only, parent, groups, of, held);
  const number = rowCount(all) < LEAST_ROWS ? parent : groups.length;
  if (number !== parent)
    groups.push({ key: `in ${path}`, parent, scopes: [{ kind: "path", name: path }], first: Infinity });
  if (number < 0) return;
  for (const tenant of tenants)
    of.set(tenant, { group: number, role: held.get(tenant)?.role ?? "parameter" });
  for (const each of inner.values()) group(each, number, groups, of, held);
}

/**
 * The groups that are open at first: as many levels of modules as fit. Modules without submodules stay
 * folded, so that equal layers look equal.
 * @param {Group[]} groups
 * @param {number} modules number of the first group of a module
 * @param {[Tenant, {group: number}][]} held
 */
export function levelsOpen(groups, modules, held) {
  /** @type {Set<string>[]} */
  const names = groups.map(() => new Set());
  for (const [{ name }, { group }] of held) names[group]?.add(name);
  const innerOf = (/** @type {number} */ around) =>
    [...groups.keys()].slice(modules).filter((at) => groups[at]?.parent === around);
  /** @type {string[]} */
  const open = [];
  let level = innerOf(-1);
  for (let rows = level.length; ; ) {
    const outer = level.filter((at) => innerOf(at).length > 0);
    level = outer.flatMap(innerOf);
    rows += level.length + outer.reduce((sum, at) => sum + (names[at]?.size ?? 0), 0);
    if (outer.length === 0 || rows > MOST.opened) return open;
    open.push(...outer.map((at) => groups[at]?.key ?? ""));
  }
}
