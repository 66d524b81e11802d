/** Lists the keyboard shortcuts of the page, for the listeners and for the help. Pure. */

/** The keys while a run is on the page, except in an editable text. */
export const IN_REPLAY = /** @type {const} */ ({
  "key-next": [".", "ArrowRight"],
  "key-previous": [",", "ArrowLeft"],
  "key-line": [">", "<", "Shift+ArrowRight", "Shift+ArrowLeft"],
  "key-walk": ["g"],
  "key-ends": ["Home", "End"],
  "key-ten": ["PageUp", "PageDown"],
  "key-play": [" "],
  "key-warning": ["w", "W"],
  "key-round": ["i", "I"],
  "key-change": ["]", "["],
  "key-here": ["n", "N"],
  "key-break": ["x"],
  "key-to-break": ["c", "C"],
  "key-construction": ["u"],
  "key-hide": ["h"],
  "key-pin": ["k"],
  "key-why": ["Y"],
  "key-search": ["/"],
  "key-values": ["e"],
  "key-text": ["t"],
  "key-maximise": ["m"],
  "key-presenting": ["p"],
  "key-blank": ["b", "."],
  "key-dot": ["d"],
  "key-note": ["o"],
});

/** The keys that work everywhere. Single characters do not work in an editable text. */
export const ANYWHERE = /** @type {const} */ ({
  "key-run": ["Ctrl+Enter"],
  "key-edit": ["F2"],
  "key-leave": ["Escape"],
  "key-pane": ["F6", "Shift+F6"],
  "key-legend": ["l"],
  "key-help": ["?"],
});

/** The keys in the focused picture. */
export const IN_PICTURES = /** @type {const} */ ({
  "key-choose": ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"],
  "key-saving": ["Enter"],
  "key-zoom": ["+", "-", "0"],
  "key-fold": ["Enter", "e"],
  "key-fold-storages": ["Enter", " "],
});

/** The keys in the focused code of a replay. */
export const IN_CODE = /** @type {const} */ ({
  "key-choose-line": ["ArrowUp", "ArrowDown"],
  "key-edit-here": ["Enter"],
});

/** @typedef {(typeof IN_REPLAY)[keyof typeof IN_REPLAY][number]} ReplayKey */

/** @type {Record<string, string>} */
const WRITTEN = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  " ": "Space",
  Escape: "Esc",
  ">": "Shift+.",
  "<": "Shift+,",
  W: "Shift+w",
  I: "Shift+i",
  "Shift+ArrowRight": "Shift+→",
  "Shift+ArrowLeft": "Shift+←",
  N: "Shift+n",
  C: "Shift+c",
  V: "Shift+v",
  Y: "Shift+y",
};

/**
 * The name of a key as it is printed on a keyboard.
 * @param {string} key
 */
export function written(key) {
  return WRITTEN[key] ?? key;
}

/**
 * Whether a key is a single character. Visitors can turn off shortcuts of a single character (WCAG 2.1.4),
 * because speech input may trigger them by mistake.
 * @param {string} key
 */
export function isCharacter(key) {
  return [...key].length === 1 && key !== " ";
}
