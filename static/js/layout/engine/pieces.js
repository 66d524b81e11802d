/**
 * Owns the division of a group with too many boxes into pieces: by line, then into tens, hundreds or
 * thousands in order of creation. Pure.
 */

import { placeOfStep } from "../../run/places.js";

/** @import {Group, Index, Scope} from "../../run/types.d.ts" */
/** @import {Grouping} from "./folding.js" */
/** @import {Part, Union} from "../union-graph.js" */

/**
 * A box or group directly in a group, or in no group. `at` is the sort key: the first Node of the item.
 * Leaves and signs for None come just before their first user.
 * @typedef {{at: number, node: number, part: Part | null, group: number}} Item
 */

/**
 * The maximum number of boxes directly in a group. A larger group is divided into pieces of at most `piece`
 * boxes.
 */
export const MOST_BESIDE = { whole: 1000, piece: 100 };
/** The approximate number of pieces into which a large group is divided. */
const PIECES = 30;

/**
 * The given groups, but each group with too many boxes is divided into pieces. `isDivided`: whether any
 * group is divided.
 * @param {Index} index
 * @param {Union} union
 * @param {Grouping} grouping
 * @returns {Grouping & {isDivided: boolean}}
 */
export function withPieces(index, union, grouping) {
  const levels = levelsOf(union, grouping);
  if (levels.every((items) => items.length <= MOST_BESIDE.whole)) return { ...grouping, isDivided: false };
  const divided = new Divided(index, grouping);
  divided.place(levels.at(-1) ?? [], -1, "none");
  for (const [number, group] of grouping.groups.entries())
    divided.place(levels[number] ?? [], divided.numbers[number] ?? -1, group.key);
  return { groups: divided.groups, home: divided.home, isDivided: true };
}

/**
 * The items of each group in order of creation. The last list has the items in no group.
 * @param {Union} union
 * @param {Grouping} grouping
 * @returns {Item[][]}
 */
function levelsOf({ parts, lines }, { groups, home }) {
  /** @type {Item[][]} */
  const levels = [...groups.map(() => []), []];
  const into = (/** @type {number} */ at, /** @type {Item} */ item) =>
    levels[at < 0 ? groups.length : at]?.push(item);
  /** @type {Map<string, number>} */
  const users = new Map();
  for (const line of lines) users.set(line.to, Math.min(users.get(line.to) ?? Infinity, line.node));
  for (const part of parts) {
    if (part.shape === "unreached") continue; // a leaf without a Node is never folded
    const at = part.shape === "node" ? part.node : (users.get(part.key) ?? part.node) - 0.5;
    into(home.get(part.key) ?? -1, { at, node: part.node, part, group: -1 });
  }
  for (const [group, { parent, first }] of groups.entries())
    into(parent, { at: first, node: first, part: null, group });
  for (const items of levels) items.sort((a, b) => a.at - b.at);
  return levels;
}

/** Divides groups with too many boxes, one group at a time. */
class Divided {
  /**
   * @param {Index} index
   * @param {Grouping} grouping
   */
  constructor(index, grouping) {
    this.index = index;
    this.old = grouping.groups;
    /** @type {Group[]} */
    this.groups = [];
    this.home = new Map(grouping.home);
    /**
     * The number of each given group among the divided groups.
     * @type {number[]}
     */
    this.numbers = [];
  }

  /**
   * Puts items into a group. If there are too many items, divides them into pieces, which are groups in this
   * group.
   * @param {Item[]} items
   * @param {number} parent
   * @param {string} key
   */
  place(items, parent, key) {
    /** @type {{items: Item[], parent: number, key: string, most: number, base: number}[]} */
    const waiting = [{ items, parent, key, most: MOST_BESIDE.whole, base: 0 }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (next.items.length <= next.most) {
        for (const item of next.items) this.#put(item, next.parent);
        continue;
      }
      for (const { from, until, scope } of this.#cut(next.items, next.base)) {
        const piece = next.items.slice(from, until);
        const inner = {
          items: piece,
          most: MOST_BESIDE.piece,
          base: scope.kind === "part" ? next.base + from : 0,
        };
        if (piece.length === 1) waiting.push({ ...inner, parent: next.parent, key: next.key });
        else {
          const key = `${next.key}/${from}`;
          const first = piece.reduce((least, { node }) => Math.min(least, node), Infinity);
          this.groups.push({ key, parent: next.parent, scopes: [scope], first });
          waiting.push({ ...inner, parent: this.groups.length - 1, key });
        }
      }
    }
  }

  /**
   * @param {Item} item
   * @param {number} parent
   */
  #put({ part, group }, parent) {
    if (part !== null) this.home.set(part.key, parent);
    else {
      this.numbers[group] = this.groups.length;
      this.groups.push({ .../** @type {Group} */ (this.old[group]), parent });
    }
  }

  /**
   * Divides a list of items into pieces. A piece begins at each item whose line of code differs from the
   * previous item's line. If all items have the same line, or there would be too many pieces, the pieces
   * have equal sizes instead.
   * @param {Item[]} items
   * @param {number} base number of items of the line before these
   * @returns {{from: number, until: number, scope: Scope}[]}
   */
  #cut(items, base) {
    const lines = items.map(({ node }) => placeOfStep(this.index, this.index.nodes[node]?.made_by));
    const begins = lines.flatMap((line, at) => (at === 0 || lines[at - 1] !== line ? [at] : []));
    if (begins.length > 1 && begins.length <= MOST_BESIDE.piece)
      return begins.map((from, number) => ({
        from,
        until: begins[number + 1] ?? items.length,
        scope: { kind: "line", line: lines[from] ?? 0 },
      }));
    const size = 10 ** Math.ceil(Math.log10(items.length / PIECES));
    return Array.from({ length: Math.ceil(items.length / size) }, (_, number) => {
      const [from, until] = [number * size, Math.min((number + 1) * size, items.length)];
      const line = begins.length === 1 ? (lines[0] ?? 0) : 0;
      return { from, until, scope: { kind: "part", line, first: base + from + 1, last: base + until } };
    });
  }
}
