/**
 * Loads the documents of recorded snippets, as the server sends them, and computes their indexes and
 * layouts.
 */
import { readFileSync } from "node:fs";

import { indexOf } from "../../static/js/run/facts.js";
import { unionOf } from "../../static/js/layout/union-graph.js";
import { measuresFor } from "../../static/js/layout/measures.js";
import { layeredPlaces } from "../../static/js/layout/engine/layered.js";
import { linearPlaces } from "../../static/js/layout/engine/linear.js";
import { assemble, componentsOf } from "../../static/js/layout/engine/place.js";

export const NAMES = ["data", "detach", "views", "loop"];

export const read = (name) =>
  JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), "utf8"));
export const indexed = (name) => indexOf(read(name));

export function laidOut(index, engine, width = 1440) {
  const measures = measuresFor(width);
  const components = componentsOf(unionOf(index, measures));
  const places = {
    layered: (component) => layeredPlaces(component, measures),
    linear: (component) => linearPlaces(component),
  };
  return assemble(components, components.map(places[engine]), measures);
}

/**
 * Converts a state, which looks its items up when they are needed, to tables of all items, so that two
 * states can be compared.
 */
export function whole(index, state) {
  const look = (states, table) =>
    new Map(table.map(({ id }) => [id, states.get(id)]).filter(([, item]) => item !== undefined));
  const { tensors, storages, nodes, saved_tensors } = index;
  const edges = state.gradients.map(({ gradient }) =>
    gradient.node === null ? `root${gradient.to}` : `${gradient.node}.${gradient.edge}`,
  );
  return {
    ...state,
    arrived: new Map(edges.map((edge) => [edge, state.arrived(edge)])),
    arrivedLast: state.arrivedLast(edges),
    tensors: look(state.tensors, tensors),
    storages: look(state.storages, storages),
    nodes: look(state.nodes, nodes),
    saved: look(state.saved, saved_tensors),
  };
}
