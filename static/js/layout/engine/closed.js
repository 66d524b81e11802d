/**
 * Owns the layout of open groups that no edge enters or leaves. The connected parts of the graph in such a
 * group are placed separately, like the connected parts of a whole picture. Pure.
 */

import { groupsAround, pathsOf } from "./nesting.js";
import { componentsOf, shelvesOf } from "./place.js";
import { FRAME } from "../union-graph.js";

/** @import {Group, Measures} from "../../run/types.d.ts" */
/** @import {Part, Union} from "../union-graph.js" */
/** @import {PathOf} from "./nesting.js" */
/** @import {Placed} from "./place.js" */

/** @typedef {Placed & {rows: number}} Laid `rows`: the sum of the rows that each edge crosses */
/**
 * Lays out a connected part of the graph together with the frames of its groups. Returns null if the edges
 * cross too many rows.
 * @typedef {(component: Union, groups: Group[]) => Laid | null} Lay
 */
/** @typedef {{groups: Group[], pathOf: PathOf, measures: Measures, lay: Lay}} By */

/**
 * Lays out a connected part of the graph, with the frames around it. Null: its edges cross too many rows.
 * @param {Union} component
 * @param {Group[]} groups of the run
 * @param {Measures} measures
 * @param {Lay} lay
 * @returns {Laid | null}
 */
export function placesOf(component, groups, measures, lay) {
  return placesWithin(component, { groups, pathOf: pathsOf(groups), measures, lay }, 0);
}

/**
 * Lays out a component inside the frames that surround all of it, from the outermost frame inwards. The
 * recursion is as deep as groups are nested.
 * @param {Union} component
 * @param {By} by
 * @param {number} level number of frames around the component
 * @returns {Laid | null}
 */
function placesWithin(component, by, level) {
  const frame = frameOfAll(component.parts, by.pathOf, level);
  if (frame < 0) return placesAlone(component, by, level);
  const inside = componentsOf(component, (group) => by.pathOf(group)[level + 1] ?? -1);
  /** @type {Laid[]} */
  const placed = [];
  for (const each of inside) {
    const places = placesWithin(each, by, level + 1);
    if (places === null) return null;
    placed.push(places);
  }
  return framed(frame, placed, by.measures);
}

/**
 * @param {Union} component
 * @param {By} by
 * @param {number} level
 */
function placesAlone({ parts: given, lines }, { groups: all, pathOf, lay }, level) {
  const { parts, groups, numbers } = groupsAround(given, all, pathOf, level);
  const places = lay({ parts, lines }, groups);
  if (places === null) return null;
  return {
    ...places,
    frames: new Map([...places.frames].map(([group, frame]) => [numbers[group] ?? 0, frame])),
  };
}

/**
 * The group at the given level of nesting that contains all the given boxes; -1: none.
 * @param {Part[]} parts
 * @param {PathOf} pathOf
 * @param {number} level
 */
function frameOfAll(parts, pathOf, level) {
  const frames = new Set(parts.map(({ around }) => pathOf(around)[level] ?? -1));
  return frames.size === 1 ? /** @type {number} */ ([...frames][0]) : -1;
}

/**
 * Places laid-out components side by side on shelves, with the frame of a group around all of them.
 * @param {number} group
 * @param {Laid[]} placed
 * @param {Measures} measures
 * @returns {Laid}
 */
function framed(group, placed, measures) {
  const { margin, title, foot } = FRAME;
  const { origins, width, height } = shelvesOf(placed, measures.box);
  /** @type {Laid} */
  const whole = {
    width: width + 2 * margin,
    height: 0,
    centres: new Map(),
    routes: new Map(),
    frames: new Map(),
    rows: 0,
  };
  let bottom = height;
  for (const [number, each] of placed.entries()) {
    const { x, y } = /** @type {{x: number, y: number}} */ (origins[number]);
    const shift = (/** @type {[number, number]} */ [left, top]) =>
      /** @type {[number, number]} */ ([margin + x + left, margin + title + y + top]);
    for (const [key, centre] of each.centres) whole.centres.set(key, shift(centre));
    for (const [key, points] of each.routes) whole.routes.set(key, points.map(shift));
    for (const [inner, box] of each.frames) {
      const [left, top] = shift([box.x, box.y]);
      whole.frames.set(inner, { ...box, x: left, y: top });
      bottom = Math.max(bottom, y + box.y + box.height + margin - foot);
    }
    whole.rows += each.rows;
  }
  whole.height = margin + title + bottom + foot;
  whole.frames.set(group, { x: 0, y: 0, width: whole.width, height: whole.height });
  return whole;
}
