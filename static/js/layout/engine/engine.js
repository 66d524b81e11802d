/**
 * Owns which engine lays out the graph: Graphviz; the linear layout where Graphviz does not answer, the graph
 * is large, or groups have frames.
 */

import { dotOf, placedBy } from "./dot.js";
import { folded, openAtFirst } from "./folding.js";
import { unionOf } from "../union-graph.js";
import { groupsOf } from "./groups.js";
import { linearPlaces } from "./linear.js";
import { assemble, componentsOf } from "./place.js";
import { withGranularity } from "../../run/granularity.js";
import { perRun } from "../../run/per-run.js";

/** @import {Grouping} from "./folding.js" */
/** @import {Union} from "../union-graph.js" */
/** @import {Measures} from "../../run/types.d.ts" */
/** @import {GraphLayout, Index} from "../../run/types.d.ts" */

const MOST_NODES = 1000;

/**
 * The layout of a trace's union graph; never fails.
 * @param {Index} index
 * @param {Measures} measures
 * @param {(sources: string[]) => Promise<string[]>} layOut Graphviz
 * @param {Set<string>} [chosen] keys of the groups that are open; without, as many as fit
 * @returns {Promise<GraphLayout>}
 */
export async function graphLayout(index, measures, layOut, chosen) {
  const { union, grouping } = wholesOf(withGranularity(index, "node"))(measures);
  const { groups } = grouping;
  const open = chosen ?? openAtFirst(union, grouping, warned(index));
  const components = componentsOf(folded(union, grouping, open), groups);
  const count = components.reduce((sum, component) => sum + component.parts.length, 0);
  const linear = () =>
    assemble(
      components,
      components.map((component) => linearPlaces(component, groups)),
      "linear",
      measures,
      { groups, open },
    );
  if (groups.length > 0 || count === 0 || count > MOST_NODES) return linear();
  try {
    const answers = await layOut(components.map((component) => dotOf(component, measures)));
    return assemble(
      components,
      components.map((component, number) => placedBy(component, answers[number] ?? "")),
      "dot",
      measures,
    );
  } catch (error) {
    console.warn("Graphviz did not answer; the graph is laid out without it.", error);
    return linear();
  }
}

/** The graph with no group folded, made once for a run, for all granularities. */
const wholesOf = perRun((/** @type {Index} */ index) =>
  perRun((/** @type {Measures} */ measures) => {
    const union = unionOf(index, measures);
    return { union, grouping: groupsOf(index, union) };
  }),
);

/**
 * The Nodes whose saved tensors a finding is about.
 * @param {Index} index
 */
function warned(index) {
  return index.findings
    .flatMap((finding) => finding.saved_tensors ?? [])
    .map((id) => index.saved_tensors[id]?.node ?? -1);
}
