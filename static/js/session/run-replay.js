/**
 * Owns the Replay of a single run, through which the page steps through the run, addresses it and shares it.
 */

import { constructionsOf, isPassed } from "../run/stops/constructions.js";
import { withGranularity } from "../run/stops/granularity.js";
import { inOtherRound } from "../run/stops/loops.js";
import { stateAt } from "../run/state-at.js";
import { nextOf, stopIndexOf } from "../run/stops/stop-index.js";
import { asked } from "../state/asked.js";
import { isOld, isPlaying, mode, snippet, standIn } from "../state/store.js";
import { addressOfEditor, hashOf } from "./address.js";
import { linkOf } from "./links.js";

/** @import {LoneRun, Replay} from "../state/replay.d.ts" */
/** @import {Granularity, Index} from "../run/types.d.ts" */
/** @import {RunLayouts} from "../state/layouts.js" */

/** @implements {Replay} */
export class RunReplay {
  kind = /** @type {const} */ ("run");

  /**
   * @param {Index} index
   * @param {RunLayouts} layouts
   */
  constructor(index, layouts) {
    this.index = index;
    this.layouts = layouts;
    /** @type {LoneRun} */
    this.alone = this;
    this.runs = [index];
  }

  get stopCount() {
    return this.index.stops.length;
  }

  get warnings() {
    return stopIndexOf(this.index).warned;
  }

  get constructions() {
    return constructionsOf(this.index);
  }

  /** @param {number} stop */
  statesAt(stop) {
    return [stop < 0 ? null : stateAt(this.index, stop)];
  }

  /**
   * @param {number} stop
   * @param {1 | -1} direction
   */
  statementFrom(stop, direction) {
    const { statements } = stopIndexOf(this.index);
    let next = nextOf(statements, stop, direction);
    while (next !== undefined && isPassed(this.constructions, next, stop))
      next = nextOf(statements, next, direction);
    return next ?? (direction === 1 ? this.stopCount - 1 : 0);
  }

  /**
   * @param {number} stop
   * @param {1 | -1} direction
   */
  roundFrom(stop, direction) {
    return inOtherRound(this.index, stop, direction);
  }

  /**
   * @param {Granularity} granularity
   * @param {number} stop
   */
  withGranularity(granularity, stop) {
    const index = withGranularity(this.index, granularity);
    const step = this.index.stops[stop]?.step.id;
    return {
      replay: new RunReplay(index, this.layouts),
      stop: step === undefined ? stop : Math.max(0, index.stop_of.get(step) ?? 0),
    };
  }

  /**
   * The address of a stop includes the open "Why?" question. If the code was edited since the run, the
   * address has no step.
   * @param {number} stop
   */
  address(stop) {
    const hash = hashOf(stop, this.index.granularity, snippet.value === null && standIn.value);
    const why = asked.value === null ? "" : `&why=${asked.value.written}`;
    return addressOfEditor(isOld.value ? "" : hash + why);
  }

  /** @param {number} stop */
  async share(stop) {
    const hash = hashOf(stop, this.index.granularity, false);
    const id = await linkOf(this.index, hash.slice(1));
    snippet.value = id;
    return `/s/${id}${hash}`;
  }

  leave() {
    edit();
  }

  fit() {
    void this.layouts.fit();
  }
}

/** Returns to the editor, which keeps its text. */
export function edit() {
  isPlaying.value = false;
  mode.value = "edit";
}
