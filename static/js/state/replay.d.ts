/** Owns the interface of what is replayed; the page, or another driver, uses nothing else. */

import type { Constructions } from "../run/stops/constructions.js";
import type { Granularity, Index, State } from "../run/types.d.ts";
import type { RunLayouts } from "./layouts.js";

/** A single run that is replayed, with the layouts of its pictures. */
export interface LoneRun {
  index: Index;
  layouts: RunLayouts;
}

/**
 * A run, or several that are stepped through as one. Immutable: another granularity gives a new one. A stop
 * is a number from 0 to `stopCount - 1`.
 */
export interface Replay {
  /** Which view draws it: see panes/replay-views.js. */
  readonly kind: "run" | "comparison";
  /** The runs in it; the header describes the first. */
  readonly runs: readonly Index[];
  /** The run, where there is only one. */
  readonly alone: LoneRun | null;
  readonly stopCount: number;
  /** The stops at which findings appear, in order. */
  readonly warnings: readonly number[];
  /** The stops that one step passes: the construction of a Module. */
  readonly constructions: Constructions;
  /** The state of each run at a stop; null: it has not begun. */
  statesAt(stop: number): (State | null)[];
  /** The next or previous stop that completes a statement; without one, the last or first stop. */
  statementFrom(stop: number, direction: 1 | -1): number;
  /** The same statement in the next or previous round of the loop around a stop. */
  roundFrom(stop: number, direction: 1 | -1): number | undefined;
  /** The replay at another granularity, and the stop that shows what `stop` shows. */
  withGranularity(granularity: Granularity, stop: number): { replay: Replay; stop: number };
  /** The address that opens it at a stop. */
  address(stop: number): string;
  /** Store it on the server. Resolves to its address at a stop; null: it is no longer shown. */
  share(stop: number): Promise<string | null>;
  /** Leave the replay, for what was shown before. */
  leave(): void;
  /** Lay the pictures out again after their room changed. */
  fit(): void;
}
