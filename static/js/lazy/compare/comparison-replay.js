/** Owns the replay of a comparison: its navigation, its address and its links. */

import { hashOf } from "../../session/address.js";
import { askAfterRun } from "../../session/follow-ups.js";
import { linkOf } from "../../session/links.js";
import { programOf } from "../../state/programs.js";
import { isPlaying, mode, replay, showReplay, step } from "../../state/store.js";
import {
  bothWithGranularity,
  constructionsOfBoth,
  roundFrom,
  SIDES,
  statementFrom,
  statesAt,
  warningsOf,
} from "./comparison.js";

/** @import {Replay} from "../../state/replay.d.ts" */
/** @import {Finding} from "../../run/trace.d.ts" */
/** @import {RunLayouts} from "../../state/layouts.js" */
/** @import {Comparison, Granularity, Index, Sentence} from "../../run/types.d.ts" */

/**
 * @typedef {{index: Index, finding: Finding, number: number}} AppliedFix fix `number` of a finding of the run
 *   `index`
 */
/**
 * One of the two compared runs. `snippet`: the id of its stored snippet. `title` null: the title of the
 * lesson is shown, or "your own". `trial`: the fix that this side shows, if the page offered the fix.
 * @typedef {{
 *   index: Index,
 *   layouts: RunLayouts,
 *   snippet: string | null,
 *   title: Sentence | null,
 *   trial?: AppliedFix | undefined,
 * }} ComparedRun
 */
/** @typedef {Comparison<ComparedRun>} ComparedRuns */
/**
 * What the page shows after a comparison is closed. `undo` exists if a fix was put into the editor. After
 * the comparison of a fix that is in the editor, the page shows the run of the fix, at the step of the
 * comparison.
 * @typedef {{replay: Replay | null, stop: number, mode: "edit" | "replay", undo?: () => void}} Before
 */

/** @implements {Replay} */
export class ComparisonReplay {
  kind = /** @type {const} */ ("comparison");
  alone = null;

  /**
   * @param {ComparedRuns} both
   * @param {Before} before the state of the page before the comparison
   */
  constructor(both, before) {
    this.both = both;
    this.before = before;
    this.runs = SIDES.map((side) => both[side].index);
    this.warnings = warningsOf(both);
  }

  get stopCount() {
    return this.both.steps.length;
  }

  get constructions() {
    return constructionsOfBoth(this.both);
  }

  /** @param {number} stop */
  statesAt(stop) {
    const states = statesAt(this.both, stop);
    return SIDES.map((side) => states[side]);
  }

  /**
   * @param {number} stop
   * @param {1 | -1} direction
   */
  statementFrom(stop, direction) {
    return statementFrom(this.both, stop, direction);
  }

  /**
   * @param {number} stop
   * @param {1 | -1} direction
   */
  roundFrom(stop, direction) {
    return roundFrom(this.both, stop, direction);
  }

  /**
   * @param {Granularity} granularity
   * @param {number} stop
   */
  withGranularity(granularity, stop) {
    const { both, m } = bothWithGranularity(this.both, granularity, stop);
    return { replay: new ComparisonReplay(both, this.before), stop: m };
  }

  /** @param {number} stop */
  address(stop) {
    const { left, right } = this.both;
    const hash = hashOf(stop, left.index.granularity, false);
    return `/?compare=${nameOf(left)},${nameOf(right)}${hash}`;
  }

  /**
   * Stores both snippets on the server to create a link to the comparison. A lesson's program is stored,
   * too, because the lesson may change later.
   * @param {number} stop
   */
  async share(stop) {
    /** @type {string[]} */
    const ids = [];
    for (const side of SIDES) {
      const { index, snippet } = this.both[side];
      ids.push(snippet ?? (await linkOf(index)));
    }
    const shown = replay.peek();
    if (!(shown instanceof ComparisonReplay) || shown.both.pairs !== this.both.pairs) return null;
    const left = { ...shown.both.left, snippet: ids[0] ?? null };
    const right = { ...shown.both.right, snippet: ids[1] ?? null };
    const stored = new ComparisonReplay({ ...shown.both, left, right }, this.before);
    replay.value = stored;
    return stored.address(shown === this ? stop : step.peek());
  }

  /**
   * Closes the comparison. Afterwards the page shows the run that was shown before the comparison, or the
   * run of an applied fix.
   */
  leave() {
    const { replay: old, mode: oldMode, undo } = this.before;
    const fixed = undo === undefined ? undefined : statesAt(this.both, step.peek()).right?.k;
    const stop = fixed ?? this.before.stop;
    const next = old?.withGranularity(this.both.left.index.granularity, stop);
    isPlaying.value = false;
    showReplay(next?.replay ?? null, next?.stop);
    mode.value = oldMode;
    if (undo !== undefined) askAfterRun(this.both.right.index, null);
  }

  /** Lays out both runs again after the size of their panes changed. */
  fit() {
    for (const side of SIDES) void this.both[side].layouts.fit();
  }
}

/**
 * The name of one compared run in the page's address: the stored snippet, the lesson's program, or "own" for
 * code that only this tab has.
 * @param {ComparedRun} side
 */
export function nameOf({ index, snippet }) {
  if (snippet !== null) return `s/${snippet}`;
  return (index.header.stand_in ? null : programOf(index.source)) ?? "own";
}
