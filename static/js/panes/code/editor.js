/** Owns the CodeMirror editor: text, keys, focus and scroll position. */

import {
  Compartment,
  EditorState,
  EditorView,
  StreamLanguage,
  bracketMatching,
  defaultKeymap,
  drawSelection,
  highlightSpecialChars,
  history,
  historyKeymap,
  indentOnInput,
  indentUnit,
  indentWithTab,
  keymap,
  lineNumbers,
  python,
  syntaxHighlighting,
} from "../../../vendor/codemirror.js";
import { withChunk } from "../chunks.js";
import { setMarks, marksField, setHighlight, highlightField, signs, otherSigns } from "./code-marks.js";
import { breakpointGutter, chosenField, setChosen } from "./breakpoint-gutter.js";
import { colours, look } from "./code-look.js";
import { listenToCode, showPeek } from "./code-pointer.js";
import { hangingLines } from "./hanging-lines.js";

/** @import {EditingChunk} from "../chunks.js" */
/** @import {Chosen} from "./breakpoint-gutter.js" */
/** @import {Marks} from "./code-marks.js" */
/** @import {CodeActions, Peek} from "./code-pointer.js" */

/** During a replay, the code handles only these keys, because all other keys control the steps. */
const IN_REPLAY = keymap.of(defaultKeymap.filter(({ key }) => key === "Mod-a"));

/**
 * Matches characters that are invisible or change the direction of text, in addition to those that
 * CodeMirror makes visible.
 */
const UNSEEN = /[\u202a-\u202c\u2060-\u206f\u200c\u200d\u3164\uffa0\ufff9-\ufffb\u115f\u1160]/g;

/**
 * A CodeMirror editor in a shadow root. In a shadow root, CodeMirror needs no inline `<style>` element,
 * which the page's Content-Security-Policy would forbid.
 */
export class Editor {
  #view;
  /**
   * The line of the current step, from 1, which the code scrolls to; null after the visitor scrolled the
   * code.
   * @type {number | null}
   */
  #followed = null;
  #editable = new Compartment();
  #label = new Compartment();
  #extras = new Compartment();
  /** @type {EditingChunk | null} */
  #editing = null;
  #keys;
  #sized;
  #badges = document.createElement("div");
  /** @type {Map<string, number>} */
  #reaches = new Map();
  #frame = 0;
  #onPlace;
  #peek = document.createElement("div");

  /**
   * @param {HTMLElement} host
   * @param {{
   *   text: string,
   *   onChange: (text: string) => void,
   *   onRun: () => void,
   *   onLeave: () => void,
   *   onReplay?: CodeActions | null,
   *   onPlace?: (view: EditorView) => ReadonlySet<number>,
   * }} options `onReplay`: the actions of code that is not edited; null for a side of a comparison;
   * `onPlace`: draws values next to lines that are laid out, and returns the lines without room for a badge
   */
  constructor(host, { text, onChange, onRun, onLeave, onReplay = null, onPlace = () => new Set() }) {
    this.#onPlace = onPlace;
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    const done = (/** @type {() => void} */ act) => () => {
      act();
      return true;
    };
    this.#keys = keymap.of([
      { key: "Mod-Enter", run: done(onRun) },
      { key: "Mod-f", run: done(() => this.#withEditing("openFind")) },
      { key: "Escape", run: done(onLeave) },
      indentWithTab,
      ...defaultKeymap,
      ...historyKeymap,
    ]);
    const watch = EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
      if (this.#editing === null && isPointTyped(update)) this.#withEditing("complete");
      if (update.geometryChanged) this.placeBadges();
    });
    this.#view = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: text,
        extensions: [
          this.#editable.of([]),
          this.#label.of([]),
          this.#extras.of([]),
          history(),
          highlightSpecialChars({ addSpecialChars: UNSEEN }),
          indentOnInput(),
          indentUnit.of("    "),
          onReplay === null ? [] : breakpointGutter,
          lineNumbers(),
          onReplay === null ? otherSigns : [],
          signs,
          marksField,
          highlightField,
          chosenField,
          StreamLanguage.define(python),
          syntaxHighlighting(colours),
          look,
          watch,
        ],
      }),
    });
    this.#badges.className = "badges";
    this.#peek.className = "peek";
    this.#peek.hidden = true;
    this.#view.dom.append(this.#badges, this.#peek);
    if (onReplay !== null) listenToCode(this.#view, onReplay);
    this.#view.scrollDOM.addEventListener("scroll", () => this.placeBadges());
    for (const moved of ["wheel", "pointerdown", "keydown"]) {
      this.#view.dom.addEventListener(moved, this.#leave, { passive: true });
    }
    document.fonts.addEventListener("loadingdone", this.measureAgain);
    this.#sized = new ResizeObserver(this.measureAgain);
    this.#sized.observe(host);
  }

  /**
   * Updates the positions of the cursor, the step's line and the badges after lines may have wrapped
   * differently: after a font was loaded, or the size of text or the width of the pane changed.
   */
  measureAgain = () => {
    this.#view.dispatch({ selection: this.#view.state.selection });
    if (this.#followed !== null) {
      this.#view.scrollDOM.scrollTop = 0;
      this.#view.dispatch({ effects: this.#bringing(this.#followed) });
    }
    this.#reaches.clear();
    this.placeBadges();
  };

  /**
   * Schedules scrolling to a line such that the lines before and after it are visible, too.
   * @param {number | null} line
   */
  #bringing(line) {
    const { doc } = this.#view.state;
    if (line === null || line < 1 || line > doc.lines) return [];
    this.#view.requestMeasure({
      key: this,
      read: () => this.#placeOf(line),
      write: (place) => {
        if (place !== null) this.#view.scrollDOM.scrollTop = place;
      },
    });
    return [EditorView.scrollIntoView(doc.line(line).from)];
  }

  /**
   * The scroll position at which a line and its neighbours are visible, even if they are wrapped. The
   * position is at the start of a line, because otherwise the pane would snap to another position. Null: no
   * scrolling is needed.
   * @param {number} line
   */
  #placeOf(line) {
    const { doc } = this.#view.state;
    const { scrollTop, clientHeight } = this.#view.scrollDOM;
    const block = (/** @type {number} */ number) => this.#view.lineBlockAt(doc.line(number).from);
    if (line > doc.lines) return null;
    const { bottom } = block(Math.min(doc.lines, line + 1));
    let from = Math.max(1, line - 1);
    const { top } = block(from);
    if (top >= scrollTop && bottom <= scrollTop + clientHeight) return null;
    if (block(line).bottom - top > clientHeight) from = line;
    else if (top > scrollTop) while (from > 1 && block(from - 1).top >= bottom - clientHeight) from -= 1;
    return block(from).top + this.#view.documentPadding.top;
  }

  /** Called when the visitor scrolls the code. */
  #leave = () => {
    this.#followed = null;
  };

  /** Places the badges in the next frame, because the editor has laid out its lines by then. */
  placeBadges() {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(this.#place);
  }

  /**
   * Places the badges at the right edge of the pane, however far the code is scrolled sideways. All
   * positions are measured before any badge is moved, so that the browser computes the layout once.
   */
  #place = () => {
    this.#frame = 0;
    const { now, next } = this.#view.state.field(marksField).marks;
    const { doc } = this.#view.state;
    const frame = this.#view.dom.getBoundingClientRect();
    const places = [now, next]
      .filter((mark) => mark !== null && mark.badge !== "" && mark.line >= 1 && mark.line <= doc.lines)
      .map((mark) => {
        const { line, badge } = /** @type {{line: number, badge: string}} */ (mark);
        const block = this.#view.lineBlockAt(doc.line(line).from);
        const end = this.#view.coordsAtPos(doc.line(line).to);
        const middle =
          end === null ? this.#view.documentTop + block.top + block.height / 2 : (end.top + end.bottom) / 2;
        const look = `badge ${mark === now ? (now?.look ?? "") : "next"}`;
        return { line, look, badge, top: `${middle - frame.top}px`, right: end?.right ?? -Infinity };
      });
    const taken = this.#onPlace(this.#view);
    while (this.#badges.children.length > places.length) this.#badges.lastElementChild?.remove();
    for (const [number, { line, look, badge, top, right }] of places.entries()) {
      const element = /** @type {HTMLElement} */ (
        this.#badges.children[number] ?? this.#badges.appendChild(document.createElement("span"))
      );
      if (element.className !== look) element.className = look;
      if (element.textContent !== badge) element.textContent = badge;
      if (element.style.top !== top) element.style.top = top;
      element.hidden = taken.has(line) || right + 4 > frame.right - this.#reachOf(element);
    }
  };

  /**
   * How far a badge extends from the right edge of the editor, in px. Badges with the same text are measured
   * only once.
   * @param {HTMLElement} badge
   */
  #reachOf(badge) {
    const key = `${badge.className} ${badge.textContent}`;
    const known = this.#reaches.get(key);
    if (known !== undefined) return known;
    badge.hidden = false;
    const reach = this.#view.dom.getBoundingClientRect().right - badge.getBoundingClientRect().left;
    if (reach > 0) this.#reaches.set(key, reach);
    return reach;
  }

  /** @param {string} text */
  setText(text) {
    const { doc } = this.#view.state;
    if (doc.toString() !== text) this.#view.dispatch({ changes: { from: 0, to: doc.length, insert: text } });
  }

  /**
   * @param {boolean} editable
   * @param {string} label
   */
  setEditable(editable, label) {
    const attributes = EditorView.contentAttributes.of({
      "aria-label": label,
      tabindex: "0",
    });
    const hadFocus = this.#view.hasFocus; // after the next change, the editor loses the focus
    this.#view.dispatch({
      effects: [
        this.#editable.reconfigure([
          EditorState.readOnly.of(!editable),
          EditorView.editable.of(editable),
          editable ? [this.#keys, drawSelection(), bracketMatching()] : IN_REPLAY,
          editable ? [] : [EditorView.lineWrapping, hangingLines()],
        ]),
        this.#label.reconfigure(attributes),
        this.#extras.reconfigure((editable && this.#editing?.extras()) || []),
      ],
    });
    if (hadFocus) this.#view.focus();
  }

  /**
   * Opens find or completion, after the chunk of both has loaded.
   * @param {"openFind" | "complete"} act
   */
  #withEditing(act) {
    withChunk("editing", (loaded) => {
      if (this.#view.state.readOnly) return;
      this.#editing = loaded;
      this.#view.dispatch({ effects: this.#extras.reconfigure(loaded.extras()) });
      const { head } = this.#view.state.selection.main;
      const { from, text } = this.#view.state.doc.lineAt(head);
      // While the chunk loaded, the visitor may have continued typing.
      const isWanted = act === "openFind" || /\.\w*$/.test(text.slice(0, head - from));
      if (isWanted) loaded[act](this.#view);
    });
  }

  /**
   * @param {Marks} marks
   * @param {boolean} follows whether to scroll to the marks
   */
  mark(marks, follows) {
    this.#followed = follows ? (marks.now?.line ?? null) : null;
    this.#view.dispatch({ effects: [setMarks.of(marks), ...this.#bringing(this.#followed)] });
    this.placeBadges();
  }

  /** @param {Chosen} chosen */
  choose(chosen) {
    this.#view.dispatch({ effects: [setChosen.of(chosen), ...this.#bringing(chosen.chosen)] });
  }

  /** @param {Peek | null} peek */
  peek(peek) {
    showPeek(this.#view, this.#peek, peek);
  }

  /**
   * Moves the editor's cursor to a line and column, and scrolls there.
   * @param {number} line
   * @param {number} column
   */
  placeCursor(line, column) {
    const { doc } = this.#view.state;
    const { from, to } = doc.line(Math.max(1, Math.min(line, doc.lines)));
    this.#view.dispatch({ selection: { anchor: Math.min(from + column, to) }, scrollIntoView: true });
    this.#view.focus();
  }

  /** @param {number[]} lines */
  highlight(lines) {
    if (lines.length > 0 || this.#view.state.field(highlightField).size > 0)
      this.#view.dispatch({ effects: setHighlight.of(lines) });
  }

  /**
   * The number of the line of code that contains an element; null: the element is in no line.
   * @param {Element} element
   * @returns {number | null}
   */
  lineAt(element) {
    const line = element.closest(".cm-line");
    return line === null || !this.#view.contentDOM.contains(line)
      ? null
      : this.#view.state.doc.lineAt(this.#view.posAtDOM(line)).number;
  }

  focus() {
    this.#view.focus();
  }

  /**
   * Moves the focus from the text to a button before it. While the focus is at this button or its
   * neighbours, Tab skips the text, because it would otherwise lead back into the text.
   * @param {HTMLElement} target
   */
  leaveTo(target) {
    const text = this.#view.contentDOM;
    text.tabIndex = -1;
    const head = target.parentElement;
    const goOn = (/** @type {FocusEvent} */ { relatedTarget }) => {
      if (relatedTarget instanceof Node && head?.contains(relatedTarget)) return;
      text.tabIndex = 0;
      head?.removeEventListener("focusout", goOn);
    };
    head?.addEventListener("focusout", goOn);
    target.focus();
  }

  get hasFocus() {
    return this.#view.hasFocus;
  }

  destroy() {
    cancelAnimationFrame(this.#frame);
    document.fonts.removeEventListener("loadingdone", this.measureAgain);
    this.#sized.disconnect();
    this.#view.destroy();
  }
}

/**
 * Whether a dot was typed, so that a name follows.
 * @param {import("../../../vendor/codemirror.js").ViewUpdate} update
 */
function isPointTyped({ state, transactions }) {
  const { head } = state.selection.main;
  return (
    transactions.some((each) => each.isUserEvent("input.type")) && state.sliceDoc(head - 1, head) === "."
  );
}
