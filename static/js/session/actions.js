/**
 * Owns the visitor's actions on the snippet in the editor: editing and sharing it, opening a lesson's
 * program, leaving its run.
 */

import { batch } from "../../vendor/ui.js";
import { ApiError } from "../io/api.js";
import { readStored, writeStored } from "../io/browser-storage.js";
import { forgetPins } from "../state/pins.js";
import { isLive } from "../state/preferences.js";
import { programOf, sourceOf } from "../state/programs.js";
import {
  isOld,
  isPlaying,
  linked,
  mode,
  program,
  replay,
  sharing,
  showReplay,
  snippet,
  source,
  standIn,
  status,
  step,
  toast,
} from "../state/store.js";
import { say, sayFailure, sayRefusal } from "../state/words.js";
import { hashOf } from "./address.js";
import { forgetParent, makeLink, removeLink } from "./links.js";
import { leaveRun, run, runAgainIfGone, runSoon } from "./running.js";

/** @import {SharedCode} from "../state/store.js" */

const DRAFT = "draft";

/**
 * Handles an edit of the snippet. In live mode the snippet runs after a pause in typing.
 * @param {string} text
 */
export function typed(text) {
  replaceSource(text);
  if (isLive.peek()) runSoon();
}

/**
 * Puts other code into the editor and stores it as the draft, without running it.
 * @param {string} text
 */
export function replaceSource(text) {
  source.value = text;
  program.value = programOf(text);
  snippet.value = null;
  if (status.peek().kind === "noted") status.value = { kind: "idle" };
  keepDraft(text);
}

/** @param {string} text */
function keepDraft(text) {
  writeStored(DRAFT, text);
  writeStored(DRAFT, text, "sessionStorage");
}

/** Switches live mode on or off. In live mode the code runs whenever typing pauses. */
export function switchLive() {
  isLive.value = !isLive.peek();
  if (isLive.peek() && (isOld.peek() || replay.peek() === null)) runSoon();
}

/**
 * Puts a lesson's program into the editor, and leaves the shown run.
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

/** Runs the same code with the CPU in place of the GPU that the code asks for. */
export function runWithStandIn() {
  standIn.value = true;
  void run();
}

/** Returns to the editor, and clears all state that belonged to the shown run. */
export function leave() {
  leaveRun();
  status.value = { kind: "idle" };
  isPlaying.value = false;
  mode.value = "edit";
  showReplay(null);
  snippet.value = null;
  linked.value = null;
  standIn.value = false;
  forgetPins();
  forgetParent();
}

/**
 * Stores the shown run on the server, copies a link to the shown step and shows the link. If storing fails,
 * shows the reason.
 */
export async function share() {
  const code = sharedCode();
  try {
    const path = (await replay.peek()?.share(step.peek())) ?? (await shareSource());
    sharing.value = { path, isCopied: await isCopied(new URL(path, location.href).href), code };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (runAgainIfGone(error)) return;
    sharing.value = { path: null, refusal: sayRefusal(error), code };
  }
}

/**
 * The shown code and step, for a link that contains the code itself; null in a comparison, which shows two
 * programs.
 * @returns {SharedCode | null}
 */
function sharedCode() {
  const shown = replay.peek();
  if (shown === null) return { source: source.peek(), at: standIn.peek() ? "on=stand-in" : "" };
  if (shown.alone === null) return null;
  const { source: ran, granularity, header } = shown.alone.index;
  return { source: ran, at: hashOf(step.peek(), granularity, header.stand_in ?? false).slice(1) };
}

/**
 * Copies a text to the clipboard. Browsers have no clipboard API on pages that are loaded over plain HTTP.
 * @param {string} text
 * @returns {Promise<boolean>} whether the text is in the clipboard
 */
export async function isCopied(text) {
  return (
    (await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    )) ?? false
  );
}

async function shareSource() {
  const id = await makeLink({ source: source.peek(), stand_in: standIn.peek() });
  snippet.value = id;
  return `/s/${id}`;
}

/**
 * Deletes a link that this browser made. The link's code stays in the editor.
 * @param {string} id
 */
export async function unshare(id) {
  try {
    await removeLink(id, replay.peek()?.alone?.index);
    if (snippet.peek() === id) {
      snippet.value = null;
      program.value = programOf(source.peek());
      keepDraft(source.peek());
    }
    sharing.value = null;
    toast.value = { text: say("share-deleted") };
  } catch (error) {
    toast.value = { text: sayFailure(error) };
  }
}

/** The latest draft of the code in this tab, or else in any tab of the browser. */
export function draft() {
  return readStored(DRAFT, "sessionStorage") ?? readStored(DRAFT) ?? "";
}

/** Whether the draft was written in this tab. Only then does a step in the address belong to the draft. */
export function isOwnDraft() {
  return readStored(DRAFT, "sessionStorage") !== null;
}
