/**
 * Owns the values next to the lines of code. A value is shown at the right edge, in the free space of its
 * line, so lines never move.
 */

import { madeOn } from "../../run/naming/made-on-lines.js";
import { plain } from "../../panes/rich.js";

/** @import {EditorView} from "../../../vendor/codemirror.js" */
/** @import {Beside} from "../../panes/chunks.js" */
/** @import {Made} from "../../run/naming/made-on-lines.js" */
/** @import {Index, State} from "../../run/types.d.ts" */

/**
 * Widths in characters: the minimum and maximum width of a value, and the minimum width of a code pane that
 * shows values.
 */
const LETTERS = { least: 5, most: 24, pane: 44 };
/**
 * Distances in px: from the end of a line of code to its value, and from the value to the edge of the pane.
 */
const GAP = 14;
const EDGE = 10;

/**
 * Returns the functions that draw the values which the visible lines of code produced.
 * @returns {Beside}
 */
export function besideLines() {
  const layer = document.createElement("div");
  layer.className = "made-layer";
  layer.setAttribute("aria-hidden", "true"); // screen readers get these values with the selected line instead
  /**
   * The x coordinate of the end of each line of code, by the line's position. A step does not change this.
   * @type {Map<number, number>}
   */
  const ends = new Map();
  /** @type {unknown[]} */
  let measured = [];
  // On a first visit the fonts load late, and the editor does not measure its characters again then.
  document.fonts.addEventListener("loadingdone", () => (measured = []));
  let letter = 0;
  const measure = (/** @type {EditorView} */ view) => {
    const { clientWidth } = view.scrollDOM;
    const key = [view.state.doc, clientWidth, view.defaultLineHeight, view.defaultCharacterWidth];
    if (key.some((part, place) => part !== measured[place])) {
      ends.clear();
      letter = letterOf(view);
    }
    measured = key;
    return clientWidth;
  };
  const endOf = (/** @type {EditorView} */ view, /** @type {number} */ at) => {
    const known = ends.get(at);
    if (known !== undefined) return known;
    const box = view.coordsAtPos(at, -1);
    if (box === null) return Infinity;
    const end = box.right - view.scrollDOM.getBoundingClientRect().left;
    ends.set(at, end);
    return end;
  };
  return {
    draw(view, index, now) {
      const width = measure(view);
      /** @type {Set<number>} */
      const taken = new Set();
      const shown = [];
      if (index !== null && now !== null && view.contentDOM.clientWidth >= LETTERS.pane * letter)
        for (const block of view.viewportLineBlocks) {
          const line = view.state.doc.lineAt(block.from);
          const made = madeOn(index, now, line.number);
          if (made.length === 0) continue;
          const room = Math.min(LETTERS.most * letter, width - endOf(view, line.to) - GAP - EDGE);
          if (room < LETTERS.least * letter) continue;
          taken.add(line.number);
          const row = Math.min(block.height, view.defaultLineHeight);
          shown.push({ made, top: block.bottom - row + view.documentPadding.top, row, room });
        }
      if (layer.parentElement !== view.scrollDOM) view.scrollDOM.append(layer);
      while (layer.children.length > shown.length) layer.lastElementChild?.remove();
      for (const [number, { made, top, row, room }] of shown.entries()) {
        const element = /** @type {HTMLElement} */ (
          layer.children[number] ?? layer.appendChild(document.createElement("div"))
        );
        write(element, made);
        element.style.top = `${top}px`;
        element.style.lineHeight = `${row}px`;
        element.style.maxWidth = `${room}px`;
      }
      return taken;
    },
  };
}

/**
 * The width of a character in px, measured at the first visible character.
 * @param {EditorView} view
 */
function letterOf(view) {
  const at = view.viewportLineBlocks.find(({ length }) => length > 0)?.from ?? 0;
  const [from, to] = [view.coordsAtPos(at), view.coordsAtPos(Math.min(at + 1, view.state.doc.length), -1)];
  return from !== null && to !== null && to.right > from.left
    ? to.right - from.left
    : view.defaultCharacterWidth;
}

/**
 * @param {HTMLElement} element
 * @param {Made[]} made
 */
function write(element, made) {
  const key = made.map(({ name, text, isFresh }) => `${name} ${text} ${isFresh}`).join();
  if (element.dataset.made === key) return;
  element.dataset.made = key;
  element.className = `made${made.some(({ isFresh }) => isFresh) ? " lit" : ""}`;
  element.title = made.map(({ name, text }) => `${plain(name)} ${text}`).join("\n");
  element.replaceChildren(
    ...made.flatMap(({ name, text }, place) => {
      const value = document.createElement("b");
      value.textContent = text;
      return [`${place === 0 ? "" : "  "}${plain(name)} `, value];
    }),
  );
}
