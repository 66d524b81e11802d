/**
 * Owns the groups of Nodes: one for each round of a loop, call of the snippet's functions, or module. Groups
 * are nested. Pure.
 */

import { loopsOf } from "../../run/stops/loops.js";
import { moduleScope, moduleSpans, modulesOfFrames, creationTicks } from "./modules.js";
import { firstWhere } from "../../run/sorted.js";

/** @import {FoldedBy, Group, Index, Loop, Scope} from "../../run/types.d.ts" */
/** @import {Union} from "../union-graph.js" */

/**
 * A range of ticks; `until` is exclusive.
 * @typedef {{key: string, scopes: Scope[], from: number, until: number}} Span
 */

/** The minimum number of boxes of a graph that is divided into groups. */
const LEAST_PARTS = 40;
/** The minimum number of Nodes in a group. */
const LEAST_NODES = 2;
/** Rounds of a longer loop are grouped in tens, then in hundreds and thousands. */
const MOST_ROUNDS = 20;
/** The approximate number of groups into which a loop with more than MOST_ROUNDS rounds is divided. */
const PIECES = 30;

/**
 * The groups of a run, parents before children, and the innermost group of each box.
 * @param {Index} index
 * @param {Union} union
 * @param {FoldedBy} [by] the kind of groups
 * @returns {{groups: Group[], home: Map<string, number>}}
 */
export function groupsOf(index, union, by = "all") {
  if (union.parts.length < LEAST_PARTS) return { groups: [], home: new Map() };
  const ticks = creationTicks(index);
  const spans = spansOf(index, ticks, by);
  const parents = parentsOf(spans, ticks);
  const home = homesOf(union, placesOf(ticks, spans, parents), parents);
  return pruned(spans, parents, union, home);
}

/**
 * @param {Index} index
 * @param {number[]} ticks
 * @param {FoldedBy} by
 * @returns {Span[]}
 */
function spansOf(index, ticks, by) {
  const modules = modulesOfFrames(index);
  const isWanted = (/** @type {FoldedBy} */ kind) => by === "all" || by === kind;
  const spans = isWanted("module") ? moduleSpans(index, ticks, new Set(modules.values())) : [];
  for (const frame of index.frames) {
    if (frame.id === 0) continue;
    const module = modules.get(frame.id);
    /** @type {Scope[]} */
    const scopes = isWanted("call") ? [{ kind: "call", name: frame.function }] : [];
    if (module !== undefined && isWanted("module")) scopes.push(moduleScope(index, module));
    if (scopes.length === 0) continue;
    spans.push({
      key: `call${frame.id}`,
      scopes,
      from: frame.began,
      until: (frame.ended ?? Infinity) + 1,
    });
  }
  if (isWanted("round"))
    for (const [number, loop] of loopsOf(index).entries())
      for (const round of roundsOf(index, loop, number)) spans.push(round);
  return spans.sort((a, b) => a.from - b.from || b.until - a.until);
}

/**
 * A span for each round of a loop. In a long loop, further spans contain ten, a hundred or a thousand rounds
 * each.
 * @param {Index} index
 * @param {Loop} loop
 * @param {number} number
 * @returns {Span[]}
 */
function roundsOf(index, loop, number) {
  const { line, rounds } = loop;
  const left = index.stops[loop.end]?.step;
  const over = left?.frame === loop.frame ? left.began : (index.frames[loop.frame]?.ended ?? Infinity) + 1;
  const begins = rounds.map((k) => index.stops[k]?.step.began ?? 0);
  const spans = begins.map(
    (from, round) =>
      /** @type {Span} */ ({
        key: `round${number}.${round}`,
        scopes: [{ kind: "round", line, round: round + 1 }],
        from,
        until: begins[round + 1] ?? over,
      }),
  );
  for (let most = rounds.length; most > MOST_ROUNDS; ) {
    const size = 10 ** Math.ceil(Math.log10(most / PIECES));
    for (let first = 0; first < rounds.length; first += size) {
      const last = Math.min(first + size, rounds.length);
      spans.push({
        key: `rounds${number}.${first}.${size}`,
        scopes: [{ kind: "rounds", line, first: first + 1, last }],
        from: begins[first] ?? 0,
        until: begins[last] ?? over,
      });
    }
    most = size;
  }
  return spans;
}

/**
 * The innermost span that contains each span; -1: none. If a module's span reaches into the next round of a
 * loop, the span is cut at the end of the round, and its rest becomes another span.
 * @param {Span[]} spans
 * @param {number[]} ticks
 * @returns {number[]} -1: none
 */
function parentsOf(spans, ticks) {
  const sorted = [...ticks].sort((a, b) => a - b);
  /** @type {number[]} */
  const open = [];
  /** @type {number[]} */
  const parents = [];
  for (let number = 0; number < spans.length; number += 1) {
    const span = /** @type {Span} */ (spans[number]);
    while (open.length > 0 && /** @type {Span} */ (spans[open.at(-1) ?? 0]).until <= span.from) open.pop();
    const parent = open.at(-1) ?? -1;
    const over = spans[parent]?.until ?? Infinity;
    if (span.until > over) {
      const from = sorted[countBefore(sorted, over, (tick) => tick)] ?? Infinity;
      if (from < span.until)
        spans.splice(
          countBefore(spans, from + 0.5, (other) => other.from),
          0,
          { ...span, key: `${span.key}+`, from },
        );
      span.until = over;
    }
    parents.push(parent);
    open.push(number);
  }
  return parents;
}

/**
 * The number of items in a sorted list whose tick is less than the given tick.
 * @template T
 * @param {T[]} sorted
 * @param {number} tick
 * @param {(item: T) => number} tickOf
 */
function countBefore(sorted, tick, tickOf) {
  return firstWhere(sorted.length, (at) => tickOf(/** @type {T} */ (sorted[at])) >= tick);
}

/**
 * The innermost span in which each Node was made.
 * @param {number[]} ticks
 * @param {Span[]} spans
 * @param {number[]} parents
 * @returns {number[]}
 */
function placesOf(ticks, spans, parents) {
  /** @type {number[]} */
  const places = ticks.map(() => -1);
  let next = 0;
  let inner = -1;
  for (const id of [...ticks.keys()].sort((a, b) => (ticks[a] ?? 0) - (ticks[b] ?? 0))) {
    const tick = ticks[id] ?? 0;
    for (; next < spans.length && (spans[next]?.from ?? Infinity) <= tick; next += 1) inner = next;
    while (inner >= 0 && (spans[inner]?.until ?? 0) <= tick) inner = parents[inner] ?? -1;
    places[id] = inner;
  }
  return places;
}

/**
 * The innermost span of each box. A Node belongs to the span in which the Node was created. A leaf, or the
 * sign for None, belongs to the innermost span that contains all Nodes with an edge to it.
 * @param {Union} union
 * @param {number[]} places
 * @param {number[]} parents
 */
function homesOf({ parts, lines }, places, parents) {
  const depths = depthsOf(parents);
  const leaves = new Set(parts.filter((part) => part.shape !== "node").map((part) => part.key));
  const home = new Map(
    parts.filter((part) => part.shape === "node").map((part) => [part.key, places[part.node] ?? -1]),
  );
  for (const line of lines) {
    if (!leaves.has(line.to)) continue;
    const user = places[line.node] ?? -1;
    const current = home.get(line.to);
    home.set(line.to, current === undefined ? user : common(current, user, parents, depths));
  }
  for (const key of leaves) if (!home.has(key)) home.set(key, -1);
  return home;
}

/**
 * @param {number[]} parents
 * @returns {number[]}
 */
function depthsOf(parents) {
  /** @type {number[]} */
  const depths = [];
  for (const parent of parents) depths.push(parent < 0 ? 0 : (depths[parent] ?? 0) + 1);
  return depths;
}

/**
 * @param {number} a
 * @param {number} b
 * @param {number[]} parents
 * @param {number[]} depths
 */
function common(a, b, parents, depths) {
  let [left, right] = [a, b];
  while (left !== right) {
    if ((depths[left] ?? -1) >= (depths[right] ?? -1)) left = parents[left] ?? -1;
    else right = parents[right] ?? -1;
  }
  return left;
}

/**
 * Turns spans into groups. Spans with fewer than two Nodes are dropped, and a span whose only content is
 * another span is merged with it.
 * @param {Span[]} spans
 * @param {number[]} parents
 * @param {Union} union
 * @param {Map<string, number>} home
 * @returns {{groups: Group[], home: Map<string, number>}}
 */
function pruned(spans, parents, { parts }, home) {
  const direct = spans.map(() => 0);
  const nodes = spans.map(() => 0);
  for (const part of parts) {
    const at = home.get(part.key) ?? -1;
    if (at < 0 || part.shape === "none") continue;
    direct[at] = (direct[at] ?? 0) + 1;
    if (part.shape === "node") nodes[at] = (nodes[at] ?? 0) + 1;
  }
  const scopesBySpan = scopesOf(spans, parents, direct, nodes);
  /** @type {Group[]} */
  const groups = [];
  /** @type {number[]} */
  const numbers = [];
  for (const [at, span] of spans.entries()) {
    const around = numbers[parents[at] ?? -1] ?? -1;
    const scopes = scopesBySpan[at];
    numbers.push(scopes === null || scopes === undefined ? around : groups.length);
    if (scopes) groups.push({ key: span.key, parent: around, scopes, first: Infinity });
  }
  const settled = new Map([...home].map(([key, at]) => [key, numbers[at] ?? -1]));
  for (const part of parts)
    if (part.shape === "node") noteFirst(groups, settled.get(part.key) ?? -1, part.node);
  return { groups, home: settled };
}

/**
 * @param {Group[]} groups
 * @param {number} at
 * @param {number} node
 */
function noteFirst(groups, at, node) {
  for (let group = groups[at]; group !== undefined && node < group.first; group = groups[group.parent])
    group.first = node;
}

/**
 * The scopes of each span that becomes a group, outermost first; null for other spans.
 * @param {Span[]} spans
 * @param {number[]} parents
 * @param {number[]} direct
 * @param {number[]} nodes
 */
function scopesOf(spans, parents, direct, nodes) {
  const items = [...direct];
  const all = [...nodes];
  const only = spans.map(() => -1);
  /** @type {(Scope[] | null)[]} */
  const scopesBySpan = spans.map(() => null);
  for (let at = spans.length - 1; at >= 0; at -= 1) {
    const parent = parents[at] ?? -1;
    const { scopes } = /** @type {Span} */ (spans[at]);
    const inner = only[at] ?? -1;
    if ((all[at] ?? 0) < LEAST_NODES) {
      if (parent >= 0) items[parent] = (items[parent] ?? 0) + (items[at] ?? 0);
    } else {
      if (items[at] === 1 && inner >= 0) scopesBySpan[inner]?.unshift(...scopes);
      else scopesBySpan[at] = [...scopes];
      if (parent >= 0) {
        items[parent] = (items[parent] ?? 0) + 1;
        only[parent] = items[at] === 1 && inner >= 0 ? inner : at;
      }
    }
    if (parent >= 0) all[parent] = (all[parent] ?? 0) + (all[at] ?? 0);
  }
  return scopesBySpan;
}
