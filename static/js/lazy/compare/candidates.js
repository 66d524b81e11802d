/**
 * Owns what a visitor can put side by side: a fix, a lesson, the run before, what was edited since the run.
 */

import { wholeLesson } from "../../state/programs.js";
import { isOld, played, runBefore, snippet, source, standIn } from "../../state/store.js";
import { openComparison } from "./opening.js";

/** @import {Lesson} from "../../io/boot.js" */
/** @import {Wanted} from "./opening.js" */
/** @import {Finding, Fix} from "../../run/trace.d.ts" */
/** @import {Index, Sentence} from "../../run/types.d.ts" */

/**
 * @param {Index} index
 * @param {Sentence | null} title
 * @returns {Wanted}
 */
function ran(index, title) {
  return { source: index.source, stand_in: index.header.stand_in ?? false, title, snippet: null, index };
}

/**
 * @param {string} source
 * @param {boolean} stand_in
 * @param {Sentence | null} title
 * @returns {Wanted}
 */
function unrun(source, stand_in, title) {
  return { source, stand_in, title, snippet: null, index: null };
}

/**
 * What is shown, or else what is in the editor.
 * @returns {Wanted}
 */
function current() {
  const index = played.peek()?.index;
  if (index === undefined || isOld.peek()) return unrun(source.peek(), standIn.peek(), null);
  return { ...ran(index, null), snippet: snippet.peek() };
}

/**
 * The run that went wrong, and the same with a fix.
 * @param {Fix} fix
 * @param {Finding} finding
 */
export function compareFix(fix, { arguments: args = {} }) {
  const index = played.peek()?.index;
  if (index === undefined) return;
  const left = { ...ran(index, null), snippet: isOld.peek() ? null : snippet.peek() };
  void openComparison({
    left,
    right: unrun(fix.source, fix.stand_in ?? index.header.stand_in ?? false, {
      id: `fix-${fix.title}`,
      args,
    }),
  });
}

/** @param {string} slug */
export async function compareLesson(slug) {
  const { snippet } = await wholeLesson(slug);
  await openComparison({ left: current(), right: unrun(snippet.source, false, null) });
}

/**
 * How a lesson goes wrong, and how it is done rightly.
 * @param {Lesson} lesson
 */
export function comparePrograms({ snippet, fixed }) {
  const index = played.peek()?.index;
  const side = (/** @type {string} */ text) =>
    index?.source === text && !isOld.peek() ? ran(index, null) : unrun(text, false, null);
  if (fixed !== undefined) void openComparison({ left: side(snippet.source), right: side(fixed.source) });
}

/** Whether what ran before is other code than what would be beside it. */
export function hasRunBefore() {
  const shown = isOld.value ? source.value : (played.value?.index.source ?? source.value);
  return runBefore.value !== null && runBefore.value.source !== shown;
}

export function compareBefore() {
  const index = runBefore.peek();
  if (index !== null)
    void openComparison({ left: ran(index, { id: "compare-run-before", args: {} }), right: current() });
}

/** The run that is shown, and the code that was edited since. */
export function compareEdited() {
  const index = played.peek()?.index;
  if (index !== undefined)
    void openComparison({
      left: ran(index, { id: "compare-run-shown", args: {} }),
      right: unrun(source.peek(), standIn.peek(), { id: "compare-edited", args: {} }),
    });
}
