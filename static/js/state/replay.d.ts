/** What is being replayed, and what the page may ask of it, whoever drives it. */

import type { Granularity, Index, State } from "../run/types.d.ts";
import type { RunLayouts } from "./layouts.js";

/** A run that stands alone on the page, with the layouts of its pictures. */
export interface LoneRun {
  index: Index;
  layouts: RunLayouts;
}

/**
 * A run, or several that are stepped through as one. It never changes; another granularity gives another one.
 * A stop is a number from 0 to `stopCount - 1`; the step on the page is one of them.
 */
export interface Replay {
  /** Which view draws it: see panes/replay-views.js. */
  readonly kind: "run" | "comparison";
  /** The runs in it, the one that the header tells of first. */
  readonly runs: readonly Index[];
  /** The run, where there is only one. */
  readonly alone: LoneRun | null;
  readonly stopCount: number;
  /** The stops from which findings are shown, in order. */
  readonly warnings: readonly number[];
  /** What each run shows at a stop; null: it has not begun. */
  statesAt(stop: number): (State | null)[];
  /** The next or previous stop at which a statement is over; the first or last stop where there is none. */
  statementFrom(stop: number, direction: 1 | -1): number;
  /** The same place in the next or previous round of the loop that a stop is in. */
  roundFrom(stop: number, direction: 1 | -1): number | undefined;
  /** The same at another granularity, and the stop that shows what `stop` shows. */
  withGranularity(granularity: Granularity, stop: number): { replay: Replay; stop: number };
  /** The address that opens it at a stop. */
  address(stop: number): string;
  /** Keep it on the server. Gives the address at a stop; null: it is not on the page any more. */
  share(stop: number): Promise<string | null>;
  /** Back to where the visitor was before. */
  leave(): void;
  /** The room of the pictures changed: lay them out again. */
  fit(): void;
}
