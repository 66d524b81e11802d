/**
 * Owns the open lesson: the visitor's prediction, whether the answer is shown, and which part of the lesson
 * the story's pane shows.
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

/** The lesson of the page's address. */
export const lesson = /** @type {Lesson} */ (
  boot.whole.find(({ slug }) => slug === slugOf(boot.program ?? ""))
);

/**
 * The visitor's prediction: the number of a choice, from 1.
 * @type {Signal<number | null>}
 */
export const prediction = signal(null);
/** Whether the answer may be shown: the program ran, and the visitor predicted or requested the answer. */
export const isAnswerShown = signal(false);
/** Whether the verdict replaces the story. */
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
 * The result of the visitor's run for the lesson's task; null: no run is shown, or the shown run is of the
 * lesson's own program.
 * @type {import("../../../vendor/ui.js").ReadonlySignal<import("./attempt.js").Condition[] | null>}
 */
export const attempt = computed(() => {
  const index = played.value?.index;
  if (index === undefined || shownProgram.value !== null) return null;
  return conditionsOf(index, lesson.now_try);
});

/** The step that the page itself went to. If another step is shown, the visitor has stepped on. */
let placed = -1;
let wantsVerdict = false;

/** Runs the lesson and shows the answer. */
export function runLesson() {
  wantsVerdict = true;
  void run();
}

/**
 * Shows the answer. The first call also stores whether the answer was predicted correctly, wrongly or not at
 * all.
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

/** Shows the verdict, or the result of the task, instead of the story. */
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

/** When the visitor continues stepping, shows the story. A button shows the verdict again. */
function followSteps() {
  if (step.value === placed) return;
  isVerdict.value = false;
  selectedProof.value = null;
}

/** After a run, shows the answer at the step that proves it, if the visitor predicted or requested it. */
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

/** Shows the result of the visitor's own run for the lesson's task. */
function followAttempt() {
  const conditions = attempt.peek();
  if (conditions === null || !isAnswerShown.peek()) return;
  if (conditions.every(({ holds }) => holds)) {
    rememberTried(lesson.slug);
    goTo(stepCount.peek() - 1); // the conditions hold at the last step
  } else if (conditions[0]?.holds !== true) return; // the story shows how the run ended
  toVerdict();
}

/** Adds the listeners for the lifetime of the page. */
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

/** Whether the code is one of the lesson's programs. */
export const isLessonOpen = computed(() => program.value !== null && slugOf(program.value) === lesson.slug);
/** Whether the code is the corrected program. */
export const isRight = computed(() => program.value !== null && isFixed(program.value));
