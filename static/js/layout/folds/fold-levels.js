/** Owns opening and folding the groups of a picture by levels. Pure. */

import { addTo } from "../../run/grouped.js";

/** @import {Group} from "../../run/types.d.ts" */

/**
 * The open groups after a visitor opens or folds a whole level. `direction` 1 opens the outermost folded
 * groups, -1 folds the innermost open groups.
 * @param {Group[]} groups
 * @param {Set<string>} open
 * @param {1 | -1} direction
 * @param {Set<string>} [drawn] the groups in the picture, if the picture does not show all groups
 * @returns {Set<string>}
 */
export function withLevel(groups, open, direction, drawn) {
  /** @type {number[]} */
  const depths = [];
  /** @type {Map<number, string[]>} */
  const byDepth = new Map();
  for (const { key, parent } of groups) {
    const isReached = parent < 0 || (depths[parent] ?? -1) >= 0;
    const depth = isReached ? (parent < 0 ? 0 : (depths[parent] ?? 0) + 1) : -1;
    depths.push(open.has(key) ? depth : -1);
    if (depth >= 0 && open.has(key) === direction < 0 && (drawn?.has(key) ?? true))
      addTo(byDepth, depth, key);
  }
  const depth = (direction > 0 ? Math.min : Math.max)(...byDepth.keys());
  const turned = byDepth.get(depth) ?? [];
  const shown = new Set(open);
  for (const key of turned) if (!shown.delete(key)) shown.add(key);
  return shown;
}
