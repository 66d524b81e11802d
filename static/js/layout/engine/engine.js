/**
 * Chooses the layout of a graph: layered for a small graph, else linear. Groups stay folded if their boxes
 * would exceed the limits of a picture (`MOST_DRAWN`). Pure.
 */

import { placesOf } from "./closed.js";
import { AT_FIRST, folded, openAtFirst } from "./folding.js";
import { unionOf } from "../union-graph.js";
import { groupsOf } from "./groups.js";
import { layeredPlaces } from "./layered.js";
import { linearPlaces } from "./linear.js";
import { outermostOf } from "./nesting.js";
import { withPieces } from "./pieces.js";
import { assemble, componentsOf } from "./place.js";
import { withGranularity } from "../../run/stops/granularity.js";
import { perRun } from "../../run/per-run.js";
import { unreachedIn } from "../../run/values/unreached.js";

/** @import {Placed} from "./place.js" */
/** @import {Union} from "../union-graph.js" */
/** @import {Measures} from "../../run/types.d.ts" */
/** @import {FoldedBy, GraphLayout, Group, Index} from "../../run/types.d.ts" */

/**
 * The maximum number of boxes and edges of a picture. `rows` limits the number of rows that an edge crosses,
 * summed over all edges.
 */
export const MOST_DRAWN = { boxes: 5000, edges: 8000, rows: 3_000_000 };
/**
 * How many boxes each attempt at a layout shows, approximately, until a picture is within the limits; 0
 * means that every group is folded.
 */
const ROOMS = { whole: [AT_FIRST.boxes, 0], overview: [AT_FIRST.boxes, 0], folded: [0] };

/** @type {("module" | "call" | "round")[]} */
const KINDS = ["module", "call", "round"];

/**
 * The requested layout. `by`: the kind of groups. `chosen` has the keys of the open groups; if `chosen` is
 * omitted, as many groups are open as fit. `isFolded`: every group is folded, because a layout with open
 * groups took too long.
 * @typedef {{
 *   measures: Measures,
 *   by?: FoldedBy,
 *   chosen?: Set<string> | undefined,
 *   isFolded?: boolean,
 * }} Wanted
 */

/**
 * The layout of a trace's union graph; null if the chosen groups exceed the limits of a picture.
 * @param {Index} index
 * @param {Wanted} wanted
 * @returns {GraphLayout | null}
 */
export function graphLayout(index, { measures, by = "all", chosen, isFolded = false }) {
  const { union, kinds, grouped } = wholesOf(withGranularity(index, "node"))(measures);
  const { isDivided, ...grouping } = grouped(by);
  const { groups } = grouping;
  const isChosen = chosen !== undefined && !isFolded;
  const rooms = ROOMS[isFolded || isChosen ? "folded" : isDivided ? "overview" : "whole"];
  for (const room of rooms) {
    const open = isChosen ? chosen : openAtFirst(union, grouping, warned(index), room);
    const components = componentsOf(folded(union, grouping, open), outermostOf(groups));
    if (isTooMany(components)) continue;
    const placed = allPlaces(components, groups, measures);
    if (placed === null) continue;
    const isOverview = isDivided || isFolded || (!isChosen && room !== rooms[0]);
    const homes = index.nodes.map(({ id }) => grouping.home.get(String(id)) ?? -1);
    return assemble(components, placed, measures, { groups, homes, open, by, kinds, isOverview });
  }
  return isChosen ? null : assemble([], [], measures, { isOverview: true });
}

/**
 * @param {Union[]} components
 * @param {Group[]} all
 * @param {Measures} measures
 * @returns {Placed[] | null} null: their edges cross too many rows
 */
function allPlaces(components, all, measures) {
  let left = MOST_DRAWN.rows;
  /** @type {Placed[]} */
  const placed = [];
  for (const component of components) {
    const places = placesOf(component, all, measures, (part, groups) => {
      const laid = layeredPlaces(part, measures, groups) ?? linearPlaces(part, groups, left);
      left -= laid?.rows ?? 0;
      return laid;
    });
    if (places === null) return null;
    placed.push(places);
  }
  return placed;
}

/** @param {Union[]} components */
function isTooMany(components) {
  const { boxes, edges } = countOf(components);
  return boxes > MOST_DRAWN.boxes || edges > MOST_DRAWN.edges;
}

/** @param {Union[]} components */
function countOf(components) {
  return components.reduce(
    ({ boxes, edges }, { parts, lines }) => ({ boxes: boxes + parts.length, edges: edges + lines.length }),
    { boxes: 0, edges: 0 },
  );
}

/**
 * The graph before any group is folded, and its groups of each kind. Both are computed once per run, because
 * they are the same for all granularities.
 */
const wholesOf = perRun((/** @type {Index} */ index) =>
  perRun((/** @type {Measures} */ measures) => {
    const union = unionOf(index, measures);
    /** @type {Map<FoldedBy, ReturnType<typeof withPieces>>} */
    const made = new Map();
    const grouped = (/** @type {FoldedBy} */ by) => {
      const grouping = made.get(by) ?? withPieces(index, union, groupsOf(index, union, by));
      made.set(by, grouping);
      return grouping;
    };
    return { union, kinds: kindsOf(grouped("all").groups), grouped };
  }),
);

/**
 * The kinds of the given groups. A visitor can restrict the groups to one of these kinds.
 * @param {Group[]} groups
 * @returns {FoldedBy[]}
 */
function kindsOf(groups) {
  const found = new Set(groups.flatMap(({ scopes }) => scopes.map(({ kind }) => kind)));
  return KINDS.filter((kind) => found.has(kind));
}

/**
 * The Nodes that a finding concerns: Nodes with a saved tensor that the finding names, and Nodes at which
 * the graph is cut.
 * @param {Index} index
 */
function warned(index) {
  const saved = index.findings.flatMap((finding) => finding.saved_tensors ?? []);
  return [...saved.map((id) => index.saved_tensors[id]?.node ?? -1), ...unreachedIn(index).cuts.keys()];
}
