/**
 * Owns which layouts the pictures of a run get on this page: roomy where there is room, narrower where not,
 * and large for a hall.
 */

import { effect } from "../../vendor/ui.js";
import { openGroupsIn } from "../state/folds.js";
import { graphLayout } from "../io/graph-layout.js";
import { FITTED, measuresFor, paneWidths, SMALL } from "../layout/measures.js";
import { memoryLayout } from "../layout/memory-layout.js";
import { isPresenting } from "../state/preferences.js";
import { played } from "../state/store.js";
import { pins } from "../state/pins.js";

/** @import {Index} from "../run/types.d.ts" */

/** The narrower a picture, the larger it can be drawn. */
function measured() {
  const isSmall = matchMedia(SMALL).matches;
  return {
    measures: isPresenting.peek() ? FITTED : measuresFor(innerWidth, isSmall),
    room: paneWidths(innerWidth, isSmall),
  };
}

/** @param {Index} index */
function memoryOf(index) {
  const { measures, room } = measured();
  const memory = memoryLayout(index, measures, pins.peek());
  return measures.compact || memory.width <= room.memory ? memory : memoryLayout(index, FITTED, pins.peek());
}

/**
 * Both layouts of a run.
 * @param {Index} index
 */
export async function layoutsOf(index) {
  const { measures, room } = measured();
  const graph = await graphLayout(index, measures, openGroupsIn(index));
  return {
    memory: memoryOf(index),
    graph:
      measures.compact || graph.width <= room.graph
        ? graph
        : await graphLayout(index, FITTED, openGroupsIn(index)),
  };
}

/**
 * Both layouts of a run that stands beside another; on a small screen the two stand one above the other.
 * @param {Index} index
 */
export async function layoutsBeside(index) {
  if (innerWidth <= 820) return layoutsOf(index);
  return { memory: memoryLayout(index, FITTED), graph: await graphLayout(index, FITTED) };
}

/**
 * Lay the run that is shown out again when a hall begins or ends to look on, and memory when a visitor wants
 * it otherwise.
 */
export function keepLayoutsCurrent() {
  let wanted = pins.peek();
  effect(() => {
    const own = played.peek();
    if (pins.value !== wanted && own !== null) played.value = { ...own, memory: memoryOf(own.index) };
    wanted = pins.value;
  });
  let before = isPresenting.peek();
  effect(() => {
    if (isPresenting.value === before) return;
    before = isPresenting.value;
    const own = played.peek();
    if (own === null) return;
    void layoutsOf(own.index).then((layouts) => {
      const now = played.peek();
      if (now?.graph === own.graph) played.value = { ...now, ...layouts };
    });
  });
}
