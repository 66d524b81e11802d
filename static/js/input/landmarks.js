/** Owns the way from pane to pane by key, in the order in which they stand on the page. */

/** What of a pane takes the focus: its text, its picture, its slider; of tabs the one that is chosen. */
const ENTRIES = '.editor, [role="group"][tabindex="0"], .slider, .tab[aria-selected="true"]';

/**
 * Put the focus on the next or previous pane, round again at the end.
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
 * What can be seen of a pane and focused.
 * @param {Element | undefined} pane
 * @returns {HTMLElement | undefined}
 */
function entryOf(pane) {
  const entries = /** @type {HTMLElement[]} */ ([...(pane?.querySelectorAll(ENTRIES) ?? [])]);
  const visible = entries.find((entry) => entry.getClientRects().length > 0);
  return visible?.shadowRoot?.querySelector(".cm-content") ?? visible;
}
