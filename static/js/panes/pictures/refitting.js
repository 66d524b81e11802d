/** Lays out the pictures again when the sizes of their panes change, and when names are pinned or hidden. */

import { effect } from "../../../vendor/ui.js";
import { pins } from "../../state/pins.js";
import { isPresenting } from "../../state/preferences.js";
import { widthsOfPage } from "../../state/room.js";
import { replay } from "../../state/store.js";

/**
 * The pictures are laid out again when the sizes of their panes have not changed for this time in ms.
 * Without this delay, each press of an arrow key at a splitter would cause a layout.
 */
const PAUSE_MS = 250;

/** Starts to lay out the pictures again whenever necessary, until the page is closed. */
export function keepFitting() {
  fitToPanes();
  placeWhenPinned();
}

/**
 * Lays out the pictures again when the sizes of panes change: immediately when presenter mode begins or
 * ends, otherwise after the sizes have not changed for PAUSE_MS.
 */
function fitToPanes() {
  let [wasPresenting, widths] = [isPresenting.peek(), widthsOfPage.peek()];
  let timer = 0;
  effect(() => {
    const isAtOnce = isPresenting.value !== wasPresenting;
    if (!isAtOnce && widthsOfPage.value === widths) return;
    [wasPresenting, widths] = [isPresenting.value, widthsOfPage.value];
    clearTimeout(timer);
    if (isAtOnce) replay.peek()?.fit();
    else timer = setTimeout(() => replay.peek()?.fit(), PAUSE_MS);
  });
}

/** Lay the memory picture out again when names are pinned or hidden. */
function placeWhenPinned() {
  let before = pins.peek();
  effect(() => {
    if (pins.value === before) return;
    before = pins.value;
    void replay.peek()?.alone?.layouts.placeNames();
  });
}
