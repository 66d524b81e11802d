/** Owns the interface through which the page steps through a run or a comparison. */

import type { Constructions } from "../run/stops/constructions.js";
import type { Granularity, Index, State } from "../run/types.d.ts";
import type { RunLayouts } from "./layouts.js";

/** A single run that is replayed, with the layouts of its pictures. */
export interface LoneRun {
  index: Index;
  layouts: RunLayouts;
}

/**
 * A run, or several runs that are stepped through as one. Immutable: another granularity gives another object.
 * A stop is a number from 0 to `stopCount - 1`.
 */
export interface Replay {
  /** Selects the view that draws the replay; see panes/replay-views.js. */
  readonly kind: "run" | "comparison";
  /** The runs of the replay. The page's header describes the first run. */
  readonly runs: readonly Index[];
  /** The run of a replay with only one run; else null. */
  readonly alone: LoneRun | null;
  readonly stopCount: number;
  /** The stops at which findings are shown for the first time, in order. */
  readonly warnings: readonly number[];
  /** The constructions of Modules, whose stops one step skips. */
  readonly constructions: Constructions;
  /** The state of each run at a stop; null: the run has not begun. */
  statesAt(stop: number): (State | null)[];
  /** The next or previous stop that completes a statement; without one, the last or first stop. */
  statementFrom(stop: number, direction: 1 | -1): number;
  /** The stop of the same statement in the next or previous iteration of the loop around a stop. */
  roundFrom(stop: number, direction: 1 | -1): number | undefined;
  /** The replay at another granularity, and the stop that corresponds to `stop`. */
  withGranularity(granularity: Granularity, stop: number): { replay: Replay; stop: number };
  /** The address that opens the replay at a stop. */
  address(stop: number): string;
  /**
   * Stores the replay on the server. Resolves to the replay's address at a stop; null: the replay is no
   * longer shown.
   */
  share(stop: number): Promise<string | null>;
  /** Leaves the replay and restores the page as it was before. */
  leave(): void;
  /** Lays the pictures out again after their space changed. */
  fit(): void;
}
