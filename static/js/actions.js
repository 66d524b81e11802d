/** Owns what a visitor can do with the snippet: edit, open a lesson, take a fix, share. */

import { batch } from "../vendor/ui.js";
import { ApiError, keepSnippet } from "./api.js";
import { boot } from "./boot.js";
import { leaveRun, run } from "./running.js";
import { isPlaying, lesson, mode, played, snippet, source, standIn, status, step, toast } from "./store.js";
import { say } from "./words.js";

/** @import {Fix} from "./trace.d.ts" */

const DRAFT = "stepgrad.draft";

/** Back to the editor, with the text as it is. */
export function edit() {
  isPlaying.value = false;
  mode.value = "edit";
}

/** A visitor changed the text. @param {string} text */
export function typed(text) {
  source.value = text;
  lesson.value = boot.lessons.find((own) => own.source === text)?.slug ?? null;
  snippet.value = null;
  if (status.peek().kind === "noted") status.value = { kind: "idle" };
  keepDraft(text);
}

/** Put a lesson into the editor. @param {string} slug */
export function openLesson(slug) {
  const chosen = boot.lessons.find((own) => own.slug === slug);
  if (!chosen) return false;
  batch(() => {
    leave();
    source.value = chosen.source;
    lesson.value = slug;
  });
  return true;
}

/** Put other code into the editor and run it. @param {Fix} fix */
export function tryFix(fix) {
  typed(fix.source);
  if (fix.stand_in) standIn.value = true;
  void run();
}

function leave() {
  leaveRun();
  status.value = { kind: "idle" };
  isPlaying.value = false;
  mode.value = "edit";
  played.value = null;
  step.value = 0;
  snippet.value = null;
  standIn.value = false;
}

/** Keep the snippet and copy the link to this very step. */
export async function share() {
  try {
    const shown = played.peek()?.index;
    const kept = await keepSnippet(shown?.source ?? source.peek(), shown?.header.stand_in ?? standIn.peek());
    snippet.value = kept.id;
    const link = new URL(`${kept.url}${played.peek() ? `#step=${step.peek() + 1}` : ""}`, location.href).href;
    const copied = await navigator.clipboard?.writeText(link).then(() => true, () => false);
    toast.value = { text: say(copied ? "share-copied" : "share-made"), link };
  } catch (error) {
    const known = error instanceof ApiError ? error : null;
    toast.value = { text: known?.message ? `${known.message} ${known.hint}` : say("error-unreachable") };
  }
}

/** @param {string} text */
function keepDraft(text) {
  try {
    localStorage.setItem(DRAFT, text);
  } catch {
    // storage may be forbidden or full; the draft is a courtesy
  }
}

/** What the visitor last wrote. */
export function draft() {
  try {
    return localStorage.getItem(DRAFT) ?? "";
  } catch {
    return "";
  }
}
