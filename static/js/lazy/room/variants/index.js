/**
 * The entry point of the chunk for variants. The page loads it when a room first collects variants.
 *
 * The room is passed as an argument. Importing it would move room.js into a separate file that both chunks
 * share.
 */

import { effect } from "../../../../vendor/ui.js";
import { isCharacter } from "../../../input/keymap.js";
import { loadStylesheet } from "../../../io/stylesheets.js";
import { loadChunk } from "../../../panes/chunks.js";
import { hasCharacterKeys } from "../../../state/preferences.js";
import { hide, provideRoom, takePicked, unpick, variants } from "./collection.js";
import { sendRunsToClass, writeForClass } from "./own-run.js";
import { sentenceOf } from "./rows.js";
import { HiddenCount, Screen, Strip } from "./screen.js";
import { publicOf } from "./variants-state.js";
import { moveInWall, openWall, Wall, wallIsOpen } from "./wall.js";

/** @import {ReadonlySignal} from "../../../../vendor/ui.js" */
/** @import {Compared} from "../../../panes/chunks.js" */
/** @import {Sentence} from "../../../run/types.d.ts" */
/** @import {OwnRun} from "../in-step.js" */
/** @import {Picked} from "../room-state.js" */
/** @import {Room} from "../room.js" */

/**
 * Prepares the page for variants. The preparation is done once and not undone.
 * @param {ReadonlySignal<Room | null>} room
 */
export async function begin(room) {
  await loadStylesheet(new URL("../../../../css/variants.css", import.meta.url)).catch(() => undefined);
  provideRoom(room);
  sendRunsToClass();
  listenOverRoom();
  effect(() => askTeacher(room.value)); // a page may open another room after the first
  return { Wall, Screen, Strip, HiddenCount, openWall, writeForClass, compare, unpick, turnHidden };
}
/** @typedef {Awaited<ReturnType<typeof begin>>} VariantsPart */

/**
 * Hides or shows the outcomes. In the projected window this is a request to the teacher's window, because
 * the projector's secret only permits reading.
 * @type {(hidden: boolean) => unknown}
 */
let hideHere = hide;

/** @param {Room | null} room */
function askTeacher(room) {
  hideHere = hide;
  if (room === null || room.role === "member" || !("BroadcastChannel" in window)) return undefined;
  const channel = new BroadcastChannel(`stepgrad-room-${room.code}-variants`);
  if (room.role === "teacher") channel.addEventListener("message", ({ data }) => void hide(data === true));
  else hideHere = (hidden) => channel.postMessage(hidden);
  return () => channel.close();
}

function turnHidden() {
  const now = variants.peek();
  if (now !== null) hideHere(!now.hidden);
}

/**
 * Listens to keyboard shortcuts while the dialog with variants is open, because the page's own listeners
 * ignore keys then.
 */
function listenOverRoom() {
  window.addEventListener("keydown", (event) => {
    const isOther = event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey;
    const top = [...document.querySelectorAll("dialog[open]")].at(-1);
    const isOurs = top?.matches(".variants-wall, .variants-screen") === true;
    if (isOther || !isOurs || (isCharacter(event.key) && !hasCharacterKeys.peek())) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const isScrolled = document.activeElement?.closest(".variants-detail pre") != null;
    if (event.key === "z") turnHidden();
    else if (event.key === "V" && wallIsOpen.peek()) wallIsOpen.value = false;
    else if (by !== undefined && wallIsOpen.peek() && !isScrolled) moveInWall(by === 1 ? 1 : -1);
    else return;
    event.preventDefault();
  });
}

/**
 * Opens a comparison of one picked outcome with the room's snippet, or of two picked outcomes. Resolves to
 * whether this page goes to their first difference and leads the room there.
 * @param {OwnRun} run
 * @param {Picked[]} picked
 * @param {number} at
 */
async function compare(run, picked, at) {
  const { show } = await loadChunk("compare");
  const leads = takePicked(picked.map(({ link }) => link).join());
  const sides = picked.map(sideOf);
  const [left = runOf(run), right = left] = sides.length === 1 ? [runOf(run), ...sides] : sides;
  await show({ left, right }, leads ? null : at);
  return leads;
}

/**
 * @param {OwnRun} run
 * @returns {Compared}
 */
function runOf({ id, source, replay }) {
  const index = replay.alone?.index ?? null;
  return { source, stand_in: false, title: { id: "variants-of-room", args: {} }, snippet: id, index };
}

/**
 * A picked outcome as one side of a comparison, with a title that is the same on every page of the room.
 * @param {Picked} picked
 * @returns {Compared}
 */
function sideOf({ id, link }) {
  const told = variants.peek()?.classes?.find((each) => each.id === id);
  /** @type {Sentence} */
  const title =
    told === undefined
      ? { id: "variants-one", args: {} }
      : { id: "variants-one-ended", args: { end: sentenceOf(publicOf(told)) } };
  return { source: "", stand_in: false, title, snippet: link, index: null };
}
