/** Owns what a visitor can do: run, stop, edit, share, open a lesson or a link. */

import { batch } from "../vendor/ui.js";
import { ApiError, keepSnippet, keptSnippet, runSnippet } from "./api.js";
import { boot } from "./boot.js";
import { indexOf } from "./facts.js";
import { graphLayout } from "./layout/engine.js";
import { FITTED, measuresFor, paneWidths } from "./layout/measures.js";
import { memoryLayout } from "./layout/memory.js";
import { isPlaying, lesson, mode, played, snippet, source, standIn, status, step, toast, zoom } from "./store.js";
import { say } from "./words.js";

/** @import {Measures} from "./layout/measures.js" */
/** @import {Document, Fix} from "./trace.d.ts" */
/** @import {Index} from "./types.d.ts" */

const DRAFT = "stepgrad.draft";

/** @type {AbortController | null} */
let running = null;

/** Run what is in the editor. @param {number} [at] the step to show first */
export async function run(at = 0) {
  running?.abort();
  const own = new AbortController();
  running = own;
  status.value = { kind: "running" };
  isPlaying.value = false;
  try {
    const text = source.peek();
    await show(await runSnippet(text, standIn.peek(), own.signal), at);
  } catch (error) {
    if (own === running) fail(error);
  } finally {
    if (own === running) running = null;
  }
}

/** Stop waiting for the run. */
export function stop() {
  running?.abort();
  running = null;
  status.value = { kind: "idle" };
}

/** @param {Document} document @param {number} at */
async function show(document, at) {
  const index = indexOf(document);
  const measures = measuresFor(innerWidth);
  const roomy = memoryLayout(index, measures);
  const memory = measures.compact || roomy.width <= paneWidths(innerWidth).memory ? roomy : memoryLayout(index, FITTED);
  const graph = await fittingGraph(index, measures);
  batch(() => {
    played.value = { index, graph, memory };
    zoom.value = 1;
    step.value = Math.max(0, Math.min(at, index.stops.length - 1));
    status.value = { kind: "idle" };
    mode.value = "replay";
  });
}

/** Laid out narrower where the roomy picture would not fit its pane. @param {Index} index @param {Measures} measures */
async function fittingGraph(index, measures) {
  const graph = await graphLayout(index, measures);
  return measures.compact || graph.width <= paneWidths(innerWidth).graph ? graph : graphLayout(index, FITTED);
}

/** @param {unknown} error */
function fail(error) {
  if (error instanceof DOMException && error.name === "AbortError") status.value = { kind: "idle" };
  else if (error instanceof ApiError) {
    const message = error.message || say("error-unreachable");
    status.value = { kind: "failed", message, hint: error.hint || say("error-unreachable-hint") };
  } else {
    console.error(error);
    status.value = { kind: "failed", message: say("error-page"), hint: say("error-page-hint") };
  }
}

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
  stop();
  isPlaying.value = false;
  mode.value = "edit";
  played.value = null;
  step.value = 0;
  snippet.value = null;
  standIn.value = false;
}

/** Show what a link names. @param {string} id @param {number} at */
export async function openSnippet(id, at) {
  status.value = { kind: "running" };
  try {
    const kept = await keptSnippet(id);
    source.value = kept.source;
    standIn.value = kept.stand_in ?? false;
    await show(kept.document, at);
    snippet.value = id;
    lesson.value = boot.lessons.find((own) => own.source === kept.source)?.slug ?? null;
    if (kept.notice) toast.value = { text: kept.notice };
  } catch (error) {
    fail(error);
  }
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
    toast.value = { text: `${known?.message || say("error-unreachable")} ${known?.hint ?? ""}` };
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
