/**
 * Owns the state of the open lesson: the visitor's prediction, whether the answer is shown, and whether the
 * verdict replaces the story.
 */

import { computed, effect, signal } from "../../../vendor/ui.js";
import { boot } from "../../io/boot.js";
import { select } from "../../state/selection.js";
import { remember, rememberTried } from "../../state/lesson-progress.js";
import { asksBeforeRun } from "../../state/prediction.js";
import { isFixed, slugOf } from "../../state/programs.js";
import { run } from "../../session/running.js";
import { goTo, isPlaying, played, program, step, stepCount } from "../../state/store.js";
import { plain } from "../../panes/rich.js";
import { isSmall, show } from "../../panes/tabs.js";
import { language } from "../../state/words.js";
import { conditionsOf } from "./attempt.js";
import { stopOfProof, tensorOfProof } from "./proofs.js";

/** @import {Signal} from "../../../vendor/ui.js" */
/** @import {Lesson, Program, Proof} from "../../io/boot.js" */

/** The lesson that the page's address names. */
export const lesson = /** @type {Lesson} */ (
  boot.whole.find(({ slug }) => slug === slugOf(boot.program ?? ""))
);

/**
 * The number of the answer that the visitor predicted, from 1; null: none yet.
 * @type {Signal<number | null>}
 */
export const prediction = signal(null);
/** Whether the answer may be shown: the program ran, and the visitor predicted or requested the answer. */
export const isAnswerShown = signal(false);
/** Whether the lesson's verdict, or the result of its task, replaces the story. */
export const isVerdict = signal(false);
/**
 * The selected proof.
 * @type {Signal<Proof | null>}
 */
export const selectedProof = signal(null);

/**
 * The lesson's program that the shown run executed; null: the visitor's own code.
 * @type {import("../../../vendor/ui.js").ReadonlySignal<Program | null>}
 */
export const shownProgram = computed(() => {
  const source = played.value?.index.source;
  return (
    [lesson.snippet, lesson.fixed].find(
      (candidate) => candidate !== undefined && candidate.source === source,
    ) ?? null
  );
});

/**
 * The conditions of the lesson's task with their results for the visitor's run. Null: no run is shown, or
 * the shown run is of one of the lesson's own programs.
 * @type {import("../../../vendor/ui.js").ReadonlySignal<import("./attempt.js").Condition[] | null>}
 */
export const attempt = computed(() => {
  const index = played.value?.index;
  if (index === undefined || shownProgram.value !== null) return null;
  return conditionsOf(index, lesson.now_try);
});

/**
 * The step at which the verdict was last shown. If the page shows another step, the visitor has stepped on.
 */
let placed = -1;
let wantsVerdict = false;

/** Runs the lesson's program and shows the answer. */
export function runLesson() {
  wantsVerdict = true;
  void run();
}

/**
 * Shows the answer to the lesson's question. The first call also stores whether the visitor predicted it
 * correctly, wrongly or not at all.
 */
export function showAnswer() {
  if (shownProgram.peek() === lesson.snippet)
    remember(
      lesson.slug,
      prediction.peek() === null ? "shown" : prediction.peek() === lesson.answer ? "right" : "wrong",
    );
  isAnswerShown.value = true;
  toVerdict();
}

/** Shows the lesson's verdict, or the result of its task, instead of the story. */
export function toVerdict() {
  isVerdict.value = true;
  placed = step.peek();
  if (isSmall.peek()) show("story");
}

/** Returns to the story. */
export function toStory() {
  isVerdict.value = false;
}

/**
 * Goes to the step that shows a proof, and selects its item.
 * @param {Proof} proof
 */
export function look(proof) {
  const index = played.peek()?.index;
  if (index === undefined) return;
  isPlaying.value = false;
  placed = stopOfProof(index, proof);
  goTo(placed);
  selectedProof.value = proof;
  const tensor = tensorOfProof(index, placed, proof.expression);
  select(tensor === undefined ? null : { kind: "tensor", id: tensor });
}

/** Shows the story again when the visitor continues stepping. */
function followSteps() {
  if (step.value === placed) return;
  isVerdict.value = false;
  selectedProof.value = null;
}

/**
 * When a new run is shown: shows the answer at the step that proves it, if the visitor made a prediction or
 * requested the answer.
 */
function followRuns() {
  const steps = played.value?.index.steps;
  if (steps === undefined || steps === followed) return;
  followed = steps;
  const ranProgram = shownProgram.peek();
  const wants = wantsVerdict || (prediction.peek() !== null && ranProgram === lesson.snippet);
  wantsVerdict = false;
  if (ranProgram === null) followAttempt();
  if (ranProgram === null || !wants) return;
  const first = ranProgram.proof[0];
  if (first !== undefined) look(first);
  showAnswer();
}
/** @type {object | undefined} */
let followed;

/**
 * Shows whether the visitor's own run fulfils the lesson's task, unless the story must first explain how the
 * run failed.
 */
function followAttempt() {
  const conditions = attempt.peek();
  if (conditions === null || !isAnswerShown.peek()) return;
  if (conditions.every(({ holds }) => holds)) {
    rememberTried(lesson.slug);
    goTo(stepCount.peek() - 1); // the last step, because the conditions are about the end of the run
  } else if (conditions[0]?.holds !== true) return; // the story explains how the run ended
  toVerdict();
}

/** Adds the listeners of the lesson, which are never removed. */
export function keepLesson() {
  effect(followSteps);
  effect(followRuns);
  effect(() => {
    asksBeforeRun.value = isLessonOpen.value && !isAnswerShown.value;
  });
  effect(() => {
    document.title = `${plain(lesson.title[language.value] ?? lesson.slug)} · Stepgrad`;
  });
}

/** Whether the code in the editor is one of the lesson's programs. */
export const isLessonOpen = computed(() => program.value !== null && slugOf(program.value) === lesson.slug);
/** Whether the code in the editor is a corrected program of a lesson. */
export const isRight = computed(() => program.value !== null && isFixed(program.value));
