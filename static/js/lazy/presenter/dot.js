/** Owns the dot that follows the mouse, so that an audience sees where the presenter points. */

import { h, useEffect, useLayoutEffect, useRef } from "../../../vendor/ui.js";
import { hasDot } from "../../state/presenting.js";

/**
 * The dot. The dot follows the mouse from the start of presenter mode, even while hidden, so that it appears
 * at the right position.
 */
export function Dot() {
  const dot = useRef(/** @type {HTMLElement | null} */ (null));
  const at = useRef(/** @type {{x: number, y: number} | null} */ (null));
  const place = () => {
    if (dot.current === null || at.current === null) return;
    dot.current.style.translate = `${at.current.x}px ${at.current.y}px`;
    dot.current.hidden = false;
  };
  useEffect(() => {
    const follow = (/** @type {PointerEvent} */ event) => {
      at.current = { x: event.clientX, y: event.clientY };
      place();
    };
    addEventListener("pointermove", follow, { capture: true, passive: true });
    return () => removeEventListener("pointermove", follow, { capture: true });
  }, []);
  useLayoutEffect(() => {
    dot.current?.showPopover(); // above open dialogs, too
    place();
  }, [hasDot.value]);
  return hasDot.value
    ? h("div", { class: "dot", popover: "manual", hidden: true, ref: dot, "aria-hidden": "true" })
    : null;
}
