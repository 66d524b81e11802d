/**
 * Owns the choice of the two programs of a comparison: a run and a fix, a lesson and its corrected program,
 * the shown and the previous run, a run and the edited code.
 */

import { wholeLesson } from "../../state/programs.js";
import { isOld, played, runBefore, snippet, source, standIn, toast } from "../../state/store.js";
import { say } from "../../state/words.js";
import { askForTrial, verdictOf } from "../../session/follow-ups.js";
import { comparison } from "./comparing.js";
import { openApplied } from "./applied-fix.js";
import { openComparison } from "./opening.js";

/** @import {Lesson} from "../../io/boot.js" */
/** @import {Candidate} from "./opening.js" */
/** @import {Finding, Fix} from "../../run/trace.d.ts" */
/** @import {Index, Sentence} from "../../run/types.d.ts" */

/**
 * @param {Index} index
 * @param {Sentence | null} title
 * @returns {Candidate}
 */
function candidateOfRun(index, title) {
  return { source: index.source, stand_in: index.header.stand_in ?? false, title, snippet: null, index };
}

/**
 * @param {string} source
 * @param {boolean} stand_in
 * @param {Sentence | null} title
 * @returns {Candidate}
 */
function candidateOfSource(source, stand_in, title) {
  return { source, stand_in, title, snippet: null, index: null };
}

/**
 * The shown run as a candidate. If no run is shown, or the code was edited since the run, the code in the
 * editor instead.
 * @returns {Candidate}
 */
function current() {
  const index = played.peek()?.index;
  if (index === undefined || isOld.peek()) return candidateOfSource(source.peek(), standIn.peek(), null);
  return { ...candidateOfRun(index, null), snippet: snippet.peek() };
}

/**
 * Compares the shown run with a run of its code after a fix. If the fix has not been tested yet, requests a
 * test of it.
 * @param {Finding} finding
 * @param {number} number the index of the fix
 */
export async function compareFix(finding, number) {
  const index = played.peek()?.index;
  const fix = finding.fixes?.[number];
  if (index === undefined || fix === undefined) return;
  await openComparison(sidesOfFix(index, finding, number, fix));
  if (verdictOf(index, finding, number) !== "untried" || comparison.peek() === null) return;
  if (await askForTrial(index, finding, number)) toast.value = { text: say("error-recording_gone") };
}

/**
 * Puts a fix that works into the editor, and compares its run with the earlier run.
 * @param {Finding} finding
 * @param {number} number the index of the fix
 */
export function applyFix(finding, number) {
  const index = played.peek()?.index;
  const fix = finding.fixes?.[number];
  if (index !== undefined && fix !== undefined) void openApplied(sidesOfFix(index, finding, number, fix));
}

/**
 * @param {Index} index
 * @param {Finding} finding
 * @param {number} number the index of the fix
 * @param {Fix} fix
 */
function sidesOfFix(index, finding, number, fix) {
  const left = { ...candidateOfRun(index, null), snippet: isOld.peek() ? null : snippet.peek() };
  const title = { id: `fix-${fix.title}`, args: finding.arguments ?? {} };
  const right = candidateOfSource(fix.source, fix.stand_in ?? index.header.stand_in ?? false, title);
  return { left, right: { ...right, trial: { index, finding, number } } };
}

/** @param {string} slug */
export async function compareLesson(slug) {
  const { snippet } = await wholeLesson(slug);
  await openComparison({ left: current(), right: candidateOfSource(snippet.source, false, null) });
}

/**
 * Compares a lesson with its corrected program.
 * @param {Lesson} lesson
 */
export function comparePrograms({ snippet, fixed }) {
  const index = played.peek()?.index;
  const side = (/** @type {string} */ text) =>
    index?.source === text && !isOld.peek()
      ? candidateOfRun(index, null)
      : candidateOfSource(text, false, null);
  if (fixed !== undefined) void openComparison({ left: side(snippet.source), right: side(fixed.source) });
}

/** Whether there is a previous run whose code differs from the present code. */
export function hasRunBefore() {
  const shown = isOld.value ? source.value : (played.value?.index.source ?? source.value);
  return runBefore.value !== null && runBefore.value.source !== shown;
}

export function compareBefore() {
  const index = runBefore.peek();
  if (index !== null)
    void openComparison({
      left: candidateOfRun(index, { id: "compare-run-before", args: {} }),
      right: current(),
    });
}

/** Compares the shown run with the code in the editor, which was edited since that run. */
export function compareEdited() {
  const index = played.peek()?.index;
  if (index !== undefined)
    void openComparison({
      left: candidateOfRun(index, { id: "compare-run-shown", args: {} }),
      right: candidateOfSource(source.peek(), standIn.peek(), { id: "compare-edited", args: {} }),
    });
}
