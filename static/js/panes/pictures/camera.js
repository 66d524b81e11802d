/**
 * Owns dragging a picture, and zooming at the pointer or with two fingers. The centre of a zoom stays in
 * place.
 */

import { useEffect, useLayoutEffect, useRef } from "../../../vendor/ui.js";
import { useScrolled } from "./scrolled.js";

/** @typedef {{current: HTMLDivElement | null}} Host */
/** @typedef {{x: number, y: number}} Point within the pane, in px */

/** A press becomes a drag when the pointer has moved by this distance in px. */
const DRAG = 4;

/**
 * @param {Host} box the pane that scrolls
 * @param {number} width of the picture, in its own units
 * @param {number} scale
 * @param {((factor: number) => void) | undefined} zoomBy
 */
export function useCamera(box, width, scale, zoomBy) {
  const middle = useRef(/** @type {Point | null} */ (null));
  useSteadyZoom(box, width, scale, middle);
  useEffect(() => {
    const host = box.current;
    if (!host || !zoomBy) return undefined;
    const zoomAt = (/** @type {number} */ factor, /** @type {number} */ x, /** @type {number} */ y) => {
      const frame = host.getBoundingClientRect();
      middle.current = { x: x - frame.left, y: y - frame.top };
      zoomBy(factor);
    };
    const ends = [listenToWheel(host, zoomAt), listenToFingers(host, zoomAt), listenToDrag(host)];
    return () => {
      for (const end of ends) end();
    };
  }, [zoomBy]);
}

/**
 * Keeps one point of the picture at its position on the screen when the scale changes: the centre of the
 * zoom, or else the middle of the pane.
 * @param {Host} box
 * @param {number} width
 * @param {number} scale
 * @param {{current: Point | null}} middle
 */
function useSteadyZoom(box, width, scale, middle) {
  const before = useRef(scale);
  const scrolled = useScrolled(box);
  useLayoutEffect(() => {
    const old = before.current;
    const host = box.current;
    before.current = scale;
    if (old === scale || !host) return;
    const { x, y } = middle.current ?? { x: host.clientWidth / 2, y: host.clientHeight / 2 };
    const margin = (/** @type {number} */ at) => Math.max(0, (host.clientWidth - width * at) / 2);
    const across = (scrolled.current.left + x - margin(old)) / old;
    const down = (scrolled.current.top + y) / old;
    host.scrollTo({ left: across * scale + margin(scale) - x, top: down * scale - y, behavior: "instant" });
    scrolled.current = { left: host.scrollLeft, top: host.scrollTop };
    middle.current = null;
  }, [scale]);
}

/** @typedef {(factor: number, x: number, y: number) => void} ZoomAt */

/**
 * Zooms with the mouse wheel while Ctrl or ⌘ is pressed. Browsers report a pinch on a trackpad as the same
 * event.
 * @param {HTMLElement} host
 * @param {ZoomAt} zoomAt
 */
function listenToWheel(host, zoomAt) {
  const turn = (/** @type {WheelEvent} */ event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const speed = Math.abs(event.deltaY) < 40 ? 0.01 : 0.0018; // a trackpad sends many small deltas
    zoomAt(Math.exp(-event.deltaY * speed), event.clientX, event.clientY);
  };
  host.addEventListener("wheel", turn, { passive: false });
  return () => host.removeEventListener("wheel", turn);
}

/**
 * Two fingers zoom, and one finger scrolls.
 * @param {HTMLElement} host
 * @param {ZoomAt} zoomAt
 */
function listenToFingers(host, zoomAt) {
  let apart = 0;
  const move = (/** @type {TouchEvent} */ event) => {
    const [a, b] = event.touches;
    if (a === undefined || b === undefined) {
      apart = 0;
      return;
    }
    event.preventDefault();
    const now = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    if (apart > 0) zoomAt(now / apart, (a.clientX + b.clientX) / 2, (a.clientY + b.clientY) / 2);
    apart = now;
  };
  const end = () => (apart = 0);
  host.addEventListener("touchmove", move, { passive: false });
  host.addEventListener("touchend", end);
  return () => {
    host.removeEventListener("touchmove", move);
    host.removeEventListener("touchend", end);
  };
}

/**
 * Scrolls the picture when it is dragged with the mouse. The end of a drag does not count as a click.
 * @param {HTMLElement} host
 */
function listenToDrag(host) {
  let drag = /** @type {{x: number, y: number, left: number, top: number, isOn: boolean} | null} */ (null);
  const press = (/** @type {PointerEvent} */ event) => {
    const frame = host.getBoundingClientRect();
    const isBar =
      event.clientX > frame.left + host.clientWidth || event.clientY > frame.top + host.clientHeight;
    if (event.pointerType === "mouse" && event.button === 0 && !isBar)
      drag = { x: event.clientX, y: event.clientY, left: host.scrollLeft, top: host.scrollTop, isOn: false };
  };
  const move = (/** @type {PointerEvent} */ event) => {
    if (drag === null || (!drag.isOn && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG))
      return;
    if (!drag.isOn) host.setPointerCapture(event.pointerId);
    drag.isOn = true;
    host.classList.add("dragged");
    host.scrollTo({
      left: drag.left + drag.x - event.clientX,
      top: drag.top + drag.y - event.clientY,
      behavior: "instant",
    });
  };
  const end = () => {
    if (drag?.isOn)
      host.addEventListener("click", (event) => event.stopPropagation(), { capture: true, once: true });
    if (drag?.isOn) setTimeout(() => host.classList.remove("dragged"));
    drag = null;
  };
  /** @type {[string, (event: any) => void][]} */
  const all = [
    ["pointerdown", press],
    ["pointermove", move],
    ["pointerup", end],
    ["pointercancel", end],
  ];
  for (const [name, act] of all) host.addEventListener(name, act);
  return () => {
    for (const [name, act] of all) host.removeEventListener(name, act);
  };
}
