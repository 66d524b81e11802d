/**
 * Handles the mouse and the keyboard in code that cannot be edited: clicks on lines and the gutter, double
 * clicks, and the panel with values at the mouse.
 */

/** @import {EditorView} from "../../../vendor/codemirror.js" */

/**
 * @typedef {object} CodeActions
 * @property {(line: number) => void} onPick a line was clicked
 * @property {(line: number) => void} onBreak the gutter next to a line was clicked
 * @property {(line: number, column: number) => void} onEdit a double click, or Enter
 * @property {(by: -1 | 1) => void} onChoose an arrow key
 * @property {() => void} onEnter
 * @property {(line: number, column: number) => void} onPoint the mouse is over a character
 * @property {() => void} onLeave
 */
/** @typedef {{name: string, text: string}} Row */
/** @typedef {{line: number, column: number, rows: Row[]}} Peek values at a position */

/**
 * If the pointer moves farther than this, in px, between press and release, it selects text instead of
 * clicking a line.
 */
const DRAG = 4;

/**
 * @param {EditorView} view
 * @param {CodeActions} actions
 */
export function listenToCode(view, actions) {
  const { dom } = view;
  let down = { x: 0, y: 0 };
  dom.addEventListener("pointerdown", ({ clientX, clientY }) => {
    down = { x: clientX, y: clientY };
  });
  dom.addEventListener("click", (event) => {
    const line = view.state.readOnly ? lineAtHeight(view, event.clientY) : null;
    if (line === null || event.button !== 0) return;
    const target = /** @type {Element} */ (event.composedPath()[0]);
    if (target.closest(".cm-gutters") !== null) {
      view.focus(); // otherwise the element that scrolls the code would get the focus
      return actions.onBreak(line);
    }
    if (Math.hypot(event.clientX - down.x, event.clientY - down.y) > DRAG) return;
    const isByMouse = /** @type {PointerEvent} */ (event).pointerType !== "touch";
    if (isByMouse && event.detail === 2) actions.onEdit(line, placeAt(view, event)?.column ?? 0);
    else if (!isByMouse || event.detail < 2) actions.onPick(line);
  });
  dom.addEventListener("pointermove", (event) => {
    if (!view.state.readOnly || event.pointerType === "touch" || event.buttons !== 0) return;
    const place = placeAt(view, event);
    if (place === null) actions.onLeave();
    else actions.onPoint(place.line, place.column);
  });
  for (const gone of ["pointerleave", "wheel"])
    dom.addEventListener(gone, actions.onLeave, { passive: true });
  dom.addEventListener("keydown", (event) => {
    if (!view.state.readOnly || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === "ArrowUp") actions.onChoose(-1);
    else if (event.key === "ArrowDown") actions.onChoose(1);
    else if (event.key === "Enter") actions.onEnter();
    else return;
    event.preventDefault();
  });
}

/**
 * @param {EditorView} view
 * @param {number} y
 */
function lineAtHeight(view, y) {
  const height = y - view.documentTop;
  if (height < 0 || height > view.contentHeight) return null;
  return view.state.doc.lineAt(view.lineBlockAtHeight(height).from).number;
}

/**
 * @param {EditorView} view
 * @param {MouseEvent} event
 */
function placeAt(view, { clientX, clientY }) {
  const position = view.posAtCoords({ x: clientX, y: clientY });
  if (position === null) return null;
  const line = view.state.doc.lineAt(position);
  const edge = view.coordsAtPos(position, 1);
  // `position` is the nearest edge between two characters, but the character under the pointer is needed
  const column = position - line.from - (edge !== null && clientX < edge.left ? 1 : 0);
  return { line: line.number, column };
}

/**
 * Shows values at a place in the code: below the place or, if there is no space, above it.
 * @param {EditorView} view
 * @param {HTMLElement} panel
 * @param {Peek | null} peek
 */
export function showPeek(view, panel, peek) {
  panel.hidden = true;
  if (peek === null || peek.line > view.state.doc.lines) return;
  const line = view.state.doc.line(peek.line);
  const at = view.coordsAtPos(Math.min(line.from + peek.column, line.to), 1);
  if (at === null) return;
  panel.replaceChildren(
    ...peek.rows.map(({ name, text }) => {
      const row = document.createElement("div");
      const code = document.createElement("code");
      code.textContent = name;
      row.append(code, ` ${text}`);
      return row;
    }),
  );
  panel.hidden = false;
  const box = view.dom.getBoundingClientRect();
  const { width, height } = panel.getBoundingClientRect();
  const isUnder = at.bottom + height + 4 <= box.bottom || at.top - height - 4 < box.top;
  panel.style.left = `${Math.max(4, Math.min(at.left - box.left, box.width - width - 4))}px`;
  panel.style.top = `${(isUnder ? at.bottom + 3 : at.top - height - 3) - box.top}px`;
}
