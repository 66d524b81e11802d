/**
 * Owns the effect of applying a fix: the fixed code is put into the editor, and its run is compared with the
 * earlier run at their first difference. Undo restores the code and the earlier run, without a new run.
 */

import { batch } from "../../../vendor/ui.js";
import { inSlices } from "../../io/slices.js";
import { replaceSource } from "../../session/actions.js";
import { askAfterRun } from "../../session/follow-ups.js";
import { RunReplay } from "../../session/run-replay.js";
import { begin, noteLayingOut, prepared, wasShown } from "../../session/running.js";
import { layoutsAlone } from "../../state/layouts.js";
import {
  granularity,
  mode,
  played,
  program,
  replay,
  showReplay,
  snippet,
  source,
  standIn,
  step,
} from "../../state/store.js";
import { findingFirst } from "./comparing.js";
import { beside, comparedRun, showBoth } from "./opening.js";

/** @import {Candidate} from "./opening.js" */
/** @import {Sides} from "../../run/types.d.ts" */

/**
 * Puts a fix that works into the editor, and compares its run with the earlier run.
 * @param {Sides<Candidate>} candidates the shown run, and the fix
 */
export function openApplied(candidates) {
  const undo = wayBack();
  return begin(async (controller) => {
    const left = await comparedRun(candidates.left, controller);
    const right = await comparedRun(candidates.right, controller);
    const both = await beside(left, right, controller.signal);
    const first = await inSlices(findingFirst(both), controller.signal);
    // Lay out the run of the fix for a whole page, because only that run is shown after the comparison is
    // closed.
    noteLayingOut();
    const alone = await prepared(right.index, layoutsAlone, controller.signal);
    const fixed = new RunReplay(alone.index, alone.layouts);
    batch(() => {
      replaceSource(candidates.right.source);
      standIn.value = candidates.right.stand_in;
      wasShown(fixed.index);
      showBoth(both, { replay: fixed, stop: both.steps[first]?.right ?? 0, mode: "replay", undo }, first);
    });
    focus(".keep-fix");
  });
}

/** Returns a function that restores the code and the run that are shown now. */
function wayBack() {
  const before = {
    source: source.peek(),
    stand_in: standIn.peek(),
    program: program.peek(),
    snippet: snippet.peek(),
    mode: mode.peek(),
    replay: replay.peek(),
    step: step.peek(),
  };
  const index = played.peek()?.index;
  return () => {
    const shown = before.replay?.withGranularity(granularity.peek(), before.step);
    batch(() => {
      replaceSource(before.source);
      standIn.value = before.stand_in;
      program.value = before.program;
      snippet.value = before.snippet;
      if (index !== undefined) wasShown(index);
      showReplay(shown?.replay ?? null, shown?.stop);
      mode.value = before.mode;
    });
    if (index !== undefined) askAfterRun(index, before.snippet); // the run of the fix cancelled them
    focus(".story .finding-fixes button");
  };
}

/**
 * Focuses an element after the next frame.
 * @param {string} selector
 */
function focus(selector) {
  requestAnimationFrame(() => /** @type {HTMLElement | null} */ (document.querySelector(selector))?.focus());
}
