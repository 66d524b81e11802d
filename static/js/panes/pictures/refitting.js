/** Owns when the pictures are laid out again: for other sizes of panes, and for pinned or hidden names. */

import { effect } from "../../../vendor/ui.js";
import { pins } from "../../state/pins.js";
import { isPresenting } from "../../state/preferences.js";
import { widthsOfPage } from "../../state/room.js";
import { replay } from "../../state/store.js";

/**
 * The time in ms for which a splitter must rest before the pictures are laid out. The keys of a splitter are
 * pressed repeatedly.
 */
const PAUSE_MS = 250;

/** Lays the pictures out again when needed, for the lifetime of the page. */
export function keepFitting() {
  fitToPanes();
  placeWhenPinned();
}

/**
 * Lay the pictures out again for other sizes of panes: at once in presenter mode, else when a splitter or the
 * page rests.
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
