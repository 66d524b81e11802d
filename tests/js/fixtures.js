/** Documents as the server sends them, recorded from four snippets, and their layouts by both engines. */
import { readFileSync } from "node:fs";

import { indexOf } from "../../static/js/facts.js";
import { dotOf, placedBy } from "../../static/js/layout/dot.js";
import { unionOf } from "../../static/js/layout/graph.js";
import { measuresFor } from "../../static/js/layout/measures.js";
import { ownPlaces } from "../../static/js/layout/own.js";
import { assemble, componentsOf } from "../../static/js/layout/place.js";
import { Graphviz } from "../../static/vendor/graphviz.js";

export const NAMES = ["data", "detach", "views", "loop"];

export const read = (name) => JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), "utf8"));
export const indexed = (name) => indexOf(read(name));

const graphviz = await Graphviz.load();

export function laidOut(index, engine, width = 1440) {
  const measures = measuresFor(width);
  const components = componentsOf(unionOf(index, measures));
  const places = { dot: (own) => placedBy(own, graphviz.layout(dotOf(own, measures), "json", "dot")), own: ownPlaces };
  return assemble(components, components.map(places[engine]), engine, measures);
}
