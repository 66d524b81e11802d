/** Moves the focus from pane to pane, and keeps the focus in a pane whose focused element disappears. */

/**
 * The CSS selectors of the elements that get the focus when it moves to a pane: the pane's text, picture or
 * slider. With tabs it is the selected tab, in the header the first button.
 */
const ENTRIES = '.editor, [role="group"][tabindex="0"], .slider, .tab[aria-selected="true"], .picker .button';

/**
 * Moves the focus to the next or previous pane, cyclically.
 * @param {1 | -1} direction
 */
export function toPane(direction) {
  const panes = [...document.querySelectorAll(".pane, .tabs")].filter((pane) => entryOf(pane) !== undefined);
  if (panes.length === 0) return;
  const at = panes.findIndex((pane) => pane.contains(document.activeElement));
  const next = at < 0 && direction < 0 ? panes.length - 1 : (at + direction + panes.length) % panes.length;
  entryOf(panes[next])?.focus();
}

/**
 * The element of a pane that gets the focus: the first visible match of ENTRIES.
 * @param {Element | undefined} pane
 * @returns {HTMLElement | undefined}
 */
function entryOf(pane) {
  const entries = /** @type {HTMLElement[]} */ ([...(pane?.querySelectorAll(ENTRIES) ?? [])]);
  const visible = entries.find((entry) => entry.getClientRects().length > 0);
  return visible?.shadowRoot?.querySelector(".cm-content") ?? visible;
}

/**
 * Returns the focus to the pane if the focused element disappeared, so that the keys of the pane keep
 * working.
 */
export function keepFocus() {
  /** @type {Element | null} */
  let last = null;
  /** @type {Element | null} */
  let around = null;
  const keep = () => {
    const isGone = last?.getClientRects().length === 0 || last?.matches(":disabled");
    // an element that was just hidden still has the focus for one frame
    const isNowhere = [document.body, last].includes(document.activeElement);
    if (isGone && isNowhere && around !== null)
      (entryOf(around) ?? /** @type {HTMLElement | null} */ (document.querySelector(".leave")))?.focus();
  };
  window.addEventListener("focusin", ({ target }) => {
    last = target instanceof Element && target.matches(":focus-visible") ? target : null;
    around = last?.closest(".pane, .header, .tabs") ?? null;
  });
  window.addEventListener("keydown", keep, { capture: true });
  window.addEventListener("keyup", () => requestAnimationFrame(keep));
}
