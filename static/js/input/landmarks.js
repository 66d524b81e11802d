/** Owns moving the focus between panes by key, in the order of the page. */

/** Selectors of what a pane focuses: its text, its picture, its slider; of tabs the selected one. */
const ENTRIES = '.editor, [role="group"][tabindex="0"], .slider, .tab[aria-selected="true"]';

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
 * The first visible, focusable element of a pane.
 * @param {Element | undefined} pane
 * @returns {HTMLElement | undefined}
 */
function entryOf(pane) {
  const entries = /** @type {HTMLElement[]} */ ([...(pane?.querySelectorAll(ENTRIES) ?? [])]);
  const visible = entries.find((entry) => entry.getClientRects().length > 0);
  return visible?.shadowRoot?.querySelector(".cm-content") ?? visible;
}
