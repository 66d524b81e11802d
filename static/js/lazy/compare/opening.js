/** Owns the opening of a comparison, from two candidates or from an address. */

import { batch } from "../../../vendor/ui.js";
import { storedSnippet } from "../../io/api.js";
import { readStored, writeStored } from "../../io/browser-storage.js";
import { indexFrom } from "../../io/documents.js";
import { inSlices } from "../../io/slices.js";
import { typed } from "../../session/actions.js";
import { begin, documentOf, noteLayingOut, prepared, reading } from "../../session/running.js";
import { layoutsBeside } from "../../state/layouts.js";
import { isPredicting } from "../../state/preferences.js";
import { sourceOf } from "../../state/programs.js";
import { mode, replay, showReplay, standIn, status, step, zoom } from "../../state/store.js";
import { findingFirst } from "./comparing.js";
import { comparing, SIDES } from "./comparison.js";
import { ComparisonReplay, nameOf } from "./comparison-replay.js";

/** @import {AppliedFix, Before, ComparedRun, ComparedRuns} from "./comparison-replay.js" */
/** @import {SideName} from "./comparison.js" */
/** @import {Index, Sentence, Sides} from "../../run/types.d.ts" */

/**
 * A snippet to compare. `index`: its run, if the snippet has already been run. `snippet`: the id of the
 * stored snippet. `trial`: the fix that produced the code.
 * @typedef {{
 *   source: string,
 *   stand_in: boolean,
 *   title: Sentence | null,
 *   snippet: string | null,
 *   index: Index | null,
 *   trial?: AppliedFix,
 * }} Candidate
 */

/** The key in session storage for compared code that is neither a stored snippet nor a lesson. */
const KEY = "compare";

/**
 * Compares two snippets. Snippets that have not run yet run now, one after the other, because the server
 * accepts one run per visitor at a time.
 * @param {Sides<Candidate>} candidates
 * @param {number | null} [at] the step to show first; null: the first step at which the runs differ, or step
 *   0 if prediction is on
 */
export function openComparison(candidates, at = null) {
  return begin(async (controller) => {
    const left = await comparedRun(candidates.left, controller);
    const right = await comparedRun(candidates.right, controller);
    await show(left, right, at, controller);
  });
}

/**
 * Opens the comparison that an address names. Does nothing if this tab cannot find both programs.
 * @param {string[]} names
 * @param {number | null} at
 * @returns {Promise<boolean>} whether it was opened
 */
export async function openComparisonOf(names, at) {
  const [left, right] = names.map(candidateNamed);
  if (!left || !right) return false;
  await openComparison({ left, right }, at);
  return true;
}

/**
 * Closes the comparison and opens the editor with the code of one side.
 * @param {SideName} side
 */
export function editSide(side) {
  const shown = replay.peek();
  if (!(shown instanceof ComparisonReplay)) return;
  const { index } = shown.both[side];
  batch(() => {
    shown.leave();
    typed(index.source);
    standIn.value = index.header.stand_in ?? false;
    mode.value = "edit";
  });
}

/**
 * Returns a snippet with its run, laid out for a comparison. If the snippet has not been run yet, runs it.
 * @param {Candidate} candidate
 * @param {AbortController} controller
 * @returns {Promise<ComparedRun>}
 */
export async function comparedRun({ source, stand_in, title, snippet, index, trial }, controller) {
  const made = index ?? (await indexFrom(await received(), controller.signal, reading));
  noteLayingOut();
  return { ...(await prepared(made, layoutsBeside, controller.signal)), snippet, title, trial };

  function received() {
    if (snippet === null) return documentOf(source, stand_in, controller);
    return storedSnippet(snippet, controller.signal);
  }
}

/**
 * Compares two runs after opening the same groups of storages in both.
 * @param {ComparedRun} left
 * @param {ComparedRun} right
 * @param {AbortSignal} signal
 */
export async function beside(left, right, signal) {
  await left.layouts.openStoragesOf(right.layouts);
  await right.layouts.openStoragesOf(left.layouts);
  return inSlices(comparing(left, right), signal);
}

/**
 * @param {ComparedRun} left
 * @param {ComparedRun} right
 * @param {number | null} at
 * @param {AbortController} controller
 */
async function show(left, right, at, controller) {
  const both = await beside(left, right, controller.signal);
  const stop = at ?? (isPredicting.peek() ? 0 : await inSlices(findingFirst(both), controller.signal));
  const shown = replay.peek();
  const before =
    shown instanceof ComparisonReplay
      ? shown.before
      : { replay: shown, stop: step.peek(), mode: mode.peek() };
  showBoth(both, before, stop);
}

/**
 * Shows a comparison at an aligned step.
 * @param {ComparedRuns} both
 * @param {Before} before
 * @param {number} at
 */
export function showBoth(both, before, at) {
  batch(() => {
    showReplay(new ComparisonReplay(both, before), at);
    mode.value = "replay";
    zoom.value = 1;
    status.value = { kind: "idle" };
  });
  if (SIDES.some((side) => nameOf(both[side]) === "own")) storeInTab(both);
}

/** @param {ComparedRuns} both */
function storeInTab(both) {
  const texts = SIDES.map((side) => {
    const { index, title } = both[side];
    return { source: index.source, stand_in: index.header.stand_in ?? false, title };
  });
  writeStored(KEY, JSON.stringify(texts), "sessionStorage");
}

/**
 * @param {string} name
 * @param {number} place
 * @returns {Candidate | null}
 */
function candidateNamed(name, place) {
  const plain = { source: "", stand_in: false, title: null, snippet: null, index: null };
  if (name.startsWith("s/")) return { ...plain, snippet: name.slice(2) };
  const source = sourceOf(name);
  if (source !== undefined) return { ...plain, source };
  const stored = storedInTab()[place];
  return stored === undefined ? null : { ...plain, ...stored };
}

/**
 * The code of a comparison that session storage contains; empty if the entry is missing or not valid.
 * @returns {Partial<Candidate>[]}
 */
function storedInTab() {
  try {
    const texts = JSON.parse(readStored(KEY, "sessionStorage") ?? "[]");
    return Array.isArray(texts) ? texts.filter((text) => typeof text?.source === "string") : [];
  } catch {
    return [];
  }
}
