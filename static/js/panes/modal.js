/**
 * Owns the component for modal dialogs, with a title and a close button. The page's state determines whether
 * a dialog is open.
 */

import { h, useEffect, useRef } from "../../vendor/ui.js";
import { button } from "./buttons.js";
import { say } from "../state/words.js";
import { Icon } from "./icons.js";

/** @import {ComponentChildren} from "../../vendor/ui.js" */

/**
 * A dialog with a title and a close button. `name`: used for the dialog's class and its title's id.
 * @param {{
 *   name: string,
 *   title: string,
 *   isOpen: boolean,
 *   close: () => void,
 *   children?: ComponentChildren,
 * }} props
 */
export function Sheet({ name, title, isOpen, close, children }) {
  return h(
    "dialog",
    { class: `sheet ${name}`, "aria-labelledby": `${name}-title`, ...useModal(isOpen, close) },
    h(
      "div",
      { class: "pane-head" },
      h("h2", { id: `${name}-title` }, title),
      h("span", { class: "spring" }),
      button(
        { class: "button icon-only", "aria-label": say("close"), onClick: close },
        h(Icon, { name: "cross", size: 16 }),
      ),
    ),
    children,
  );
}

/**
 * Returns the properties of a `<dialog>` that is open while `isOpen` is true, and that calls `close` when
 * the visitor closes it.
 *
 * On Escape the browser closes a dialog immediately but fires the `close` event in a later task. If a key
 * opened the dialog again in between, this event would close it. Therefore Escape is handled on `keydown`,
 * and a `close` event is ignored unless the dialog is closed although it should be open.
 * @param {boolean} isOpen
 * @param {() => void} close
 */
function useModal(isOpen, close) {
  const ref = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const isMeant = useRef(false);
  useEffect(() => {
    isMeant.current = isOpen;
    if (isOpen) ref.current?.showModal();
    else ref.current?.close();
  }, [isOpen]);
  const onClose = () => {
    if (isMeant.current && ref.current?.open === false) close();
  };
  /** @param {KeyboardEvent} event */
  const onKeyDown = (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    close();
  };
  return { ref, onClose, onKeyDown };
}
