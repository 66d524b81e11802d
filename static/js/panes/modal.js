/** Owns that a modal dialog is open exactly while the page's state says so. */

import { useEffect, useRef } from "../../vendor/ui.js";

/**
 * What a `<dialog>` needs to be open while `isOpen`, and to have `close` called when the visitor closes it.
 *
 * On Escape the browser closes a dialog at once and says so in a later task: what a key opened in between
 * would be closed again. So Escape is taken first, and the event counts only where the dialog is to be open
 * and is not.
 * @param {boolean} isOpen
 * @param {() => void} close
 */
export function useModal(isOpen, close) {
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
