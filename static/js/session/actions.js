/** Owns what a visitor can do with the snippet: edit, open a program of the course, take a fix, share. */

import { batch } from "../../vendor/ui.js";
import { hashOf } from "./address.js";
import { ApiError, keepSnippet } from "../io/api.js";
import { writeStored, readStored } from "../io/browser-storage.js";
import { isLive } from "../state/preferences.js";
import { programOf, sourceOf } from "../state/programs.js";
import { leaveRun, run, runSoon } from "./running.js";
import {
  comparison,
  isOld,
  isPlaying,
  mode,
  played,
  program,
  snippet,
  source,
  standIn,
  status,
  step,
  toast,
} from "../state/store.js";
import { say, sayRefusal } from "../state/words.js";
import { forgetPins } from "../state/pins.js";

/** @import {Fix} from "../run/trace.d.ts" */

const DRAFT = "draft";

/** Back to the editor, with the text as it is. */
export function edit() {
  isPlaying.value = false;
  mode.value = "edit";
}

/**
 * A visitor changed the text.
 * @param {string} text
 */
export function typed(text) {
  source.value = text;
  program.value = programOf(text);
  snippet.value = null;
  if (status.peek().kind === "noted") status.value = { kind: "idle" };
  writeStored(DRAFT, text);
  writeStored(DRAFT, text, "sessionStorage");
  if (isLive.peek()) runSoon();
}

/** Run the code as it is typed, or no more. */
export function switchLive() {
  isLive.value = !isLive.peek();
  if (isLive.peek() && (isOld.peek() || played.peek() === null)) runSoon();
}

/**
 * Put a program of the course into the editor.
 * @param {string} name
 */
export function openProgram(name) {
  const text = sourceOf(name);
  if (text === undefined) return;
  batch(() => {
    leave();
    source.value = text;
    program.value = name;
  });
}

/**
 * Put other code into the editor and run it.
 * @param {Fix} fix
 */
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
  comparison.value = null;
  played.value = null;
  step.value = 0;
  snippet.value = null;
  standIn.value = false;
  forgetPins();
}

/** Keep what is shown and copy the link to this very step. */
export async function share() {
  try {
    const link = new URL((await comparison.peek()?.page.keptBoth()) ?? (await keptOne()), location.href).href;
    const copied = await navigator.clipboard?.writeText(link).then(
      () => true,
      () => false,
    );
    toast.value = { text: say(copied ? "share-copied" : "share-made"), link };
  } catch (error) {
    toast.value = { text: error instanceof ApiError ? sayRefusal(error) : say("error-page") };
  }
}

async function keptOne() {
  const shown = played.peek()?.index;
  const { id, url } = await keepSnippet(
    shown?.source ?? source.peek(),
    shown?.header.stand_in ?? standIn.peek(),
  );
  snippet.value = id;
  return `${url}${shown ? hashOf(step.peek(), shown.granularity, false) : ""}`;
}

/** What the visitor wrote last, in this tab if anything. */
export function draft() {
  return readStored(DRAFT, "sessionStorage") ?? readStored(DRAFT) ?? "";
}

/** Whether the draft was written in this very tab, so that a step in its address is one of its own. */
export function isOwnDraft() {
  return readStored(DRAFT, "sessionStorage") !== null;
}
