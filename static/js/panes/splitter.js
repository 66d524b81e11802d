/**
 * Owns the splitters between panes. A visitor moves the boundary between two panes with the mouse, a finger
 * or the arrow keys.
 */

import { h, useLayoutEffect, useRef } from "../../vendor/ui.js";
import { boundsOf, divide, isDividing, shares } from "../state/room.js";
import { say } from "../state/words.js";
import { isSmall } from "./tabs.js";

/** @import {Split} from "../state/room.js" */

/**
 * How far an arrow key moves a splitter, without and with Shift, as a share of the space that the splitter
 * divides.
 */
const STEP = 0.02;
const STRIDE = 0.1;

/**
 * A splitter between two panes. While it is dragged, only a CSS variable of the element around both panes
 * changes. When it is released, the value is stored as the visitor's choice.
 * @param {{split: Split, isUpright: boolean, controls: string, around?: string, isTwin?: boolean}} props
 *   `isUpright`: the panes are side by side; `controls`: the id of the first pane; `around`: selects the
 *   element with the CSS variable, if other panes depend on it; `isTwin`: whether another splitter handles
 *   the keys for both
 */
export function Splitter({ split, isUpright, controls, around, isTwin = false }) {
  const bar = useRef(/** @type {HTMLDivElement | null} */ (null));
  useLayoutEffect(
    () => (bar.current === null ? undefined : keepValue(bar.current, split, isUpright)),
    [split],
  );
  const drag = useRef(/** @type {Drag | null} */ (null));
  const press = (/** @type {PointerEvent} */ event) => {
    const element = /** @type {HTMLElement} */ (event.currentTarget);
    if (event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    drag.current = dragFrom(element, isUpright, event, around);
  };
  const move = (/** @type {PointerEvent} */ event) => {
    const dragged = drag.current;
    if (dragged === null) return;
    const by = (isUpright ? event.clientX : event.clientY) - dragged.from;
    if (dragged.share === null && by === 0) return;
    isDividing.value = true;
    dragged.share = within(split, dragged.room, dragged.begun + by / dragged.room);
    dragged.around.style.setProperty(`--${split}`, String(dragged.share));
  };
  const end = () => {
    const share = drag.current?.share ?? null;
    drag.current = null;
    isDividing.value = false;
    if (share !== null) divide(split, share);
  };
  if (isSmall.value) return null;
  const spoken = {
    role: "separator",
    tabIndex: 0,
    "aria-label": say(`split-${split}`),
    "aria-orientation": isUpright ? "vertical" : "horizontal",
    "aria-valuemin": 0,
    "aria-valuemax": 100,
    "aria-valuenow": 50,
    "aria-controls": controls,
  };
  return h("div", {
    class: `splitter ${isUpright ? "upright" : "level"}`,
    ref: bar,
    title: say("split-hint"),
    ...(isTwin ? { "aria-hidden": "true" } : spoken),
    onPointerDown: press,
    onPointerMove: move,
    onPointerUp: end,
    onPointerCancel: end,
    onDblClick: () => divide(split, null),
    onKeyDown: (/** @type {KeyboardEvent} */ event) => moveByKey(event, split, isUpright),
  });
}

/**
 * `around`: the element around both panes; `from`: the start of the drag; `begun`: the share at that time;
 * `room`: px of both panes together; `share`: the share now, null before the first move.
 * @typedef {{around: HTMLElement, from: number, begun: number, room: number, share: number | null}} Drag
 */

/**
 * @param {HTMLElement} bar
 * @param {boolean} isUpright
 * @param {PointerEvent} event
 * @param {string} [around]
 * @returns {Drag}
 */
function dragFrom(bar, isUpright, event, around) {
  const [first, second] = lengthsBeside(bar, isUpright);
  return {
    around: /** @type {HTMLElement} */ (around === undefined ? bar.parentElement : bar.closest(around)),
    from: isUpright ? event.clientX : event.clientY,
    begun: first / (first + second),
    room: first + second,
    share: null,
  };
}

/**
 * @param {KeyboardEvent} event
 * @param {Split} split
 * @param {boolean} isUpright
 */
function moveByKey(event, split, isUpright) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const [first, second] = lengthsBeside(/** @type {HTMLElement} */ (event.currentTarget), isUpright);
  const share = shares[split].peek() ?? first / (first + second);
  const by = event.shiftKey ? STRIDE : STEP;
  const [back, on] = isUpright ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
  /** @type {Record<string, number | null>} */
  const places = {
    [back]: share - by,
    [on]: share + by,
    Home: 0,
    End: 1,
    Enter: null,
  };
  const place = places[event.key];
  if (place === undefined) return;
  event.preventDefault();
  divide(split, place === null ? null : within(split, first + second, place));
}

/**
 * @param {Split} split
 * @param {number} room
 * @param {number} share
 */
function within(split, room, share) {
  const { least, most } = boundsOf(split, room);
  return Math.round(1000 * Math.max(least, Math.min(most, share))) / 1000;
}

/**
 * The widths or heights in px of the panes before and after a splitter.
 * @param {HTMLElement} bar
 * @param {boolean} isUpright
 */
function lengthsBeside(bar, isUpright) {
  const lengthOf = (/** @type {Element | null} */ pane) =>
    (isUpright ? pane?.clientWidth : pane?.clientHeight) ?? 0;
  return /** @type {const} */ ([lengthOf(bar.previousElementSibling), lengthOf(bar.nextElementSibling)]);
}

/**
 * Reports the position of the splitter to assistive technology, even before a visitor moves it.
 * @param {HTMLElement} bar
 * @param {Split} split
 * @param {boolean} isUpright
 */
function keepValue(bar, split, isUpright) {
  const observer = new ResizeObserver(() => {
    const [first, second] = lengthsBeside(bar, isUpright);
    const room = first + second;
    if (room === 0) return;
    const { least, most } = boundsOf(split, room);
    for (const [name, share] of /** @type {const} */ ([
      ["min", least],
      ["max", most],
      ["now", first / room],
    ]))
      bar.setAttribute(`aria-value${name}`, String(Math.round(100 * share)));
  });
  if (bar.previousElementSibling) observer.observe(bar.previousElementSibling);
  if (bar.nextElementSibling) observer.observe(bar.nextElementSibling);
  return () => observer.disconnect();
}
