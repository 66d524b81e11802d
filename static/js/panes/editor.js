/** Owns the CodeMirror editor: text, syntax colours, and the marks of a step on the code. */

import {
  Compartment,
  Decoration,
  EditorState,
  EditorView,
  GutterMarker,
  HighlightStyle,
  StateEffect,
  StateField,
  StreamLanguage,
  bracketMatching,
  defaultKeymap,
  drawSelection,
  gutter,
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
  tags,
} from "../../vendor/codemirror.js";

/** @import {DecorationSet, Text} from "../../vendor/codemirror.js" */
/** @import {Span} from "../run/trace.d.ts" */

/**
 * @typedef {object} Marks What a step shows in the code; lines count from 1.
 * @property {Set<number>} ran
 * @property {
 *   | {line: number, end_line: number, look: "ran" | "running" | "raised" | "waits", badge: string}
 *   | null
 * } now
 * @property {{line: number, badge: string} | null} next
 * @property {Span | null} span
 * @property {boolean} isPart whether the span is a part of a statement, and is highlighted
 * @property {Span | null} origin what in the forward made the Node that runs
 * @property {Map<number, {title: string, isHint: boolean}>} flags a finding's title by line
 * @property {Set<number>} others lines that are other than in the code beside it
 */
/** @type {Marks} */
export const NOTHING = {
  ran: new Set(),
  now: null,
  next: null,
  span: null,
  isPart: false,
  origin: null,
  flags: new Map(),
  others: new Set(),
};

/** @type {import("../../vendor/codemirror.js").StateEffectType<Marks>} */
const setMarks = StateEffect.define();

/** In a replay the code has one key, and all others are the steps'. */
const IN_REPLAY = keymap.of(defaultKeymap.filter(({ key }) => key === "Mod-a"));

/** Other characters that are invisible, or change the direction of the code around them. */
const UNSEEN = /[\u202a-\u202c\u2060-\u206f\u200c\u200d\u3164\uffa0\ufff9-\ufffb\u115f\u1160]/g;

class Sign extends GutterMarker {
  /**
   * @param {string} text
   * @param {string} look
   * @param {string} title
   */
  constructor(text, look, title = "") {
    super();
    this.text = text;
    this.look = look;
    this.title = title;
  }

  /**
   * @override
   * @param {Sign} other
   */
  eq(other) {
    return other.text === this.text && other.look === this.look && other.title === this.title;
  }

  /** @override */
  toDOM() {
    const sign = document.createElement("span");
    sign.className = `sign ${this.look}`;
    sign.textContent = this.text;
    sign.title = this.title;
    return sign;
  }
}

/**
 * @param {Text} text
 * @param {number} line
 * @param {number} column in code points, where JavaScript counts UTF-16 units
 */
function position(text, line, column) {
  const codeLine = text.line(line);
  return Math.min(codeLine.to, codeLine.from + [...codeLine.text].slice(0, column).join("").length);
}

/**
 * @param {Text} text
 * @param {Marks} marks
 * @returns {DecorationSet}
 */
function decorations(text, { now, next, span, isPart, origin, others }) {
  const ranges = [];
  const has = (/** @type {number} */ line) => line >= 1 && line <= text.lines;
  if (now && has(now.line)) {
    for (let line = now.line; line <= Math.min(now.end_line, text.lines); line += 1)
      ranges.push(Decoration.line({ class: `line-now ${now.look}` }).range(text.line(line).from));
  }
  for (const line of others)
    if (has(line)) ranges.push(Decoration.line({ class: "line-other" }).range(text.line(line).from));
  for (const [marked, look] of /** @type {[Span | null, string][]} */ ([
    [span, isPart ? "span-now part" : "span-now"],
    [origin, "span-origin"],
  ])) {
    if (marked === null || !has(marked.line) || !has(marked.end_line)) continue;
    const [from, to] = [
      position(text, marked.line, marked.column),
      position(text, marked.end_line, marked.end_column),
    ];
    if (from < to) ranges.push(Decoration.mark({ class: look }).range(from, to));
  }
  if (next && has(next.line))
    ranges.push(Decoration.line({ class: "line-next" }).range(text.line(next.line).from));
  return Decoration.set(ranges, true);
}

/** @type {StateField<{marks: Marks, shown: DecorationSet}>} */
const marksField = StateField.define({
  create: () => ({ marks: NOTHING, shown: Decoration.none }),
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setMarks))
        return { marks: effect.value, shown: decorations(transaction.newDoc, effect.value) };
    }
    return transaction.docChanged ? { marks: NOTHING, shown: Decoration.none } : value;
  },
  provide: (field) => EditorView.decorations.from(field, (value) => value.shown),
});

/** @type {import("../../vendor/codemirror.js").StateEffectType<number[]>} */
const setHighlight = StateEffect.define();

/** The lines that belong to what is pointed at in another pane. */
const highlightField = StateField.define({
  create: () => Decoration.none,
  update(shown, transaction) {
    const change = transaction.effects.find((effect) => effect.is(setHighlight));
    if (change === undefined) return transaction.docChanged ? Decoration.none : shown;
    const lines = /** @type {number[]} */ (change.value)
      .filter((line) => line <= transaction.newDoc.lines)
      .sort((a, b) => a - b);
    return Decoration.set(
      lines.map((line) =>
        Decoration.line({ class: "highlighted-line" }).range(transaction.newDoc.line(line).from),
      ),
    );
  },
  provide: (field) => EditorView.decorations.from(field),
});

const signs = gutter({
  class: "signs",
  initialSpacer: () => new Sign("●", "ran"),
  lineMarkerChange: (update) => update.startState.field(marksField) !== update.state.field(marksField),
  lineMarker(view, block) {
    const { marks } = view.state.field(marksField);
    const line = view.state.doc.lineAt(block.from).number;
    const flag = marks.flags.get(line);
    if (flag !== undefined)
      return flag.isHint ? new Sign("i", "hint", flag.title) : new Sign("▲", "flag", flag.title);
    if (marks.now?.line === line)
      return new Sign(marks.now.look === "raised" ? "✕" : marks.now.look === "waits" ? "◇" : "◆", "now");
    if (marks.next?.line === line) return new Sign("▷", "next");
    return marks.ran.has(line) ? new Sign("●", "ran") : null;
  },
});

/** The lines that differ from the compared code. */
const otherSigns = gutter({
  class: "signs others",
  initialSpacer: () => new Sign("≠", "other"),
  lineMarkerChange: (update) => update.startState.field(marksField) !== update.state.field(marksField),
  lineMarker(view, block) {
    const { others } = view.state.field(marksField).marks;
    return others.has(view.state.doc.lineAt(block.from).number) ? new Sign("≠", "other") : null;
  },
});

const colours = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.operatorKeyword, tags.bool, tags.null, tags.self],
    color: "var(--code-keyword)",
    fontWeight: "600",
  },
  { tag: [tags.number], color: "var(--code-number)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.comment], color: "var(--muted)", fontStyle: "italic" },
  {
    tag: [tags.definition(tags.function(tags.variableName)), tags.definition(tags.className)],
    fontWeight: "700",
  },
]);

const look = EditorView.theme({
  "&": {
    height: "100%",
    flex: "1",
    minWidth: "0",
    color: "var(--ink)",
    backgroundColor: "transparent",
    fontSize: "var(--code-size)",
  },
  "&.cm-focused": { outline: "none" },
  "&:has(.cm-content:focus-visible)::after": {
    content: '""',
    position: "absolute",
    inset: "0",
    zIndex: "300",
    pointerEvents: "none",
    border: "2px solid var(--focus)",
    borderRadius: "0 0 11px 11px",
  },
  ".cm-scroller": {
    fontFamily: "var(--mono)",
    fontVariantLigatures: "none",
    lineHeight: "1.62",
    overflow: "auto",
  },
  ".cm-content": { padding: "4px 0 12px", caretColor: "var(--ink)" },
  ".highlighted-line": {
    boxShadow: "inset 4px 0 var(--focus)",
    textDecoration: "underline dotted var(--focus)",
    textUnderlineOffset: "5px",
  },
  ".cm-line": { padding: "0 12px 0 6px", position: "relative" },
  ".cm-gutters": { backgroundColor: "var(--panel)", border: "none", color: "var(--muted)" },
  ".cm-gutters .cm-gutterElement": { display: "flex", alignItems: "center", justifyContent: "flex-end" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "30px", padding: "0 2px 0 6px", fontSize: "12.5px" },
  ".cm-specialChar": { color: "var(--danger)", fontWeight: "700" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selection) !important",
  },
  ".cm-matchingBracket": { backgroundColor: "var(--selection)", outline: "1px solid var(--muted)" },
  ".signs": { width: "20px" },
  ".signs .cm-gutterElement": { justifyContent: "center" },
  ".sign": { fontSize: "11px" },
  ".sign.ran": { color: "var(--muted)", fontSize: "9px" },
  ".sign.flag": { color: "var(--danger)", fontSize: "12px" },
  ".sign.hint": {
    width: "13px",
    height: "13px",
    border: "1.5px solid var(--result)",
    borderRadius: "50%",
    color: "var(--result)",
    font: "700 12px/11px var(--mono)",
    textAlign: "center",
  },
  ".sign.now": { color: "var(--ink)" },
  ".sign.other": {
    width: "16px",
    borderRadius: "4px",
    backgroundColor: "var(--differs)",
    color: "var(--panel)",
    font: "750 13px/17px var(--sans)",
    textAlign: "center",
  },
  ".line-other": { backgroundColor: "var(--differs-fill)" },
  ".line-now": { backgroundColor: "var(--now-line)", boxShadow: "inset 5px 0 var(--now-edge)" },
  ".line-now.raised": { backgroundColor: "var(--danger-fill)", boxShadow: "inset 5px 0 var(--danger)" },
  ".line-now.waits": { backgroundColor: "transparent", boxShadow: "inset 5px 0 var(--next-edge)" },
  ".line-next": { boxShadow: "inset 5px 0 var(--next-edge)" },
  ".span-now": { textDecoration: "underline 2px var(--now-edge)", textUnderlineOffset: "5px" },
  ".span-now.part": {
    outline: "2px solid var(--now-edge)",
    outlineOffset: "1px",
    borderRadius: "3px",
    textDecoration: "none",
  },
  ".span-origin": {
    outline: "2px dashed var(--flow)",
    outlineOffset: "1px",
    borderRadius: "3px",
    backgroundColor: "var(--flow-fill)",
  },
  ".badges": { position: "absolute", inset: "0", overflow: "hidden", pointerEvents: "none", zIndex: "5" },
  ".badge": {
    position: "absolute",
    right: "10px",
    padding: "0 8px",
    borderRadius: "6px",
    font: "600 12.5px/21px var(--sans)",
    border: "1.5px solid var(--ink)",
    backgroundColor: "var(--panel)",
    color: "var(--ink)",
  },
  ".badge.ran, .badge.running": {
    backgroundColor: "var(--yellow)",
    color: "var(--on-yellow)",
    borderColor: "var(--now-edge)",
  },
  ".badge.raised": { backgroundColor: "var(--danger)", color: "var(--panel)", borderColor: "var(--danger)" },
  ".badge.next": { borderColor: "var(--line)" },
});

/**
 * The editor in its host. It lives in a shadow root, where its styles need no inline style element, which the
 * page's policy forbids.
 */
export class Editor {
  #view;
  /**
   * The line of the step, from 1, for as long as the code is scrolled to it.
   * @type {number | null}
   */
  #followed = null;
  #editable = new Compartment();
  #label = new Compartment();
  #keys;
  #wraps;
  #badges = document.createElement("div");

  /**
   * @param {HTMLElement} host
   * @param {{
   *   text: string,
   *   onChange: (text: string) => void,
   *   onRun: () => void,
   *   onLeave: () => void,
   *   isCompared?: boolean,
   * }} options
   */
  constructor(host, { text, onChange, onRun, onLeave, isCompared = false }) {
    this.#wraps = !isCompared; // lines keep their height, so that two listings align
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    const done = (/** @type {() => void} */ act) => () => {
      act();
      return true;
    };
    this.#keys = keymap.of([
      { key: "Mod-Enter", run: done(onRun) },
      { key: "Escape", run: done(onLeave) },
      indentWithTab,
      ...defaultKeymap,
      ...historyKeymap,
    ]);
    const watch = EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
      if (update.geometryChanged) this.#placeBadges();
    });
    this.#view = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: text,
        extensions: [
          this.#editable.of([]),
          this.#label.of([]),
          history(),
          highlightSpecialChars({ addSpecialChars: UNSEEN }),
          indentOnInput(),
          indentUnit.of("    "),
          lineNumbers(),
          isCompared ? otherSigns : [],
          signs,
          marksField,
          highlightField,
          StreamLanguage.define(python),
          syntaxHighlighting(colours),
          look,
          watch,
        ],
      }),
    });
    this.#badges.className = "badges";
    this.#view.dom.append(this.#badges);
    this.#view.scrollDOM.addEventListener("scroll", () => this.#placeBadges());
    for (const moved of ["wheel", "pointerdown", "keydown"]) {
      this.#view.dom.addEventListener(moved, this.#leave, { passive: true });
    }
    document.fonts.addEventListener("loadingdone", this.#measureAgain);
  }

  /**
   * The letters of a font that has loaded have other widths, so lines wrap elsewhere: place the cursor, the
   * line of the step and the badges again.
   */
  #measureAgain = () => {
    this.#view.dispatch({ selection: this.#view.state.selection });
    if (this.#followed !== null) {
      this.#view.scrollDOM.scrollTop = 0;
      this.#follow(this.#followed);
    }
    this.#placeBadges();
  };

  /** @param {number} line */
  #follow(line) {
    const { doc } = this.#view.state;
    if (line < 1 || line > doc.lines) return;
    this.#view.dispatch({
      effects: EditorView.scrollIntoView(doc.line(line).from, { y: "nearest", yMargin: 60 }),
    });
  }

  /** The visitor looks elsewhere in the code. */
  #leave = () => {
    this.#followed = null;
  };

  /** Badges stay at the right edge wherever the code is scrolled to. */
  #placeBadges() {
    const { now, next } = this.#view.state.field(marksField).marks;
    const { doc } = this.#view.state;
    const top = this.#view.dom.getBoundingClientRect().top;
    const badges = [now, next]
      .filter((mark) => mark !== null && mark.line >= 1 && mark.line <= doc.lines)
      .map((mark) => {
        const { line, badge } = /** @type {{line: number, badge: string}} */ (mark);
        const block = this.#view.lineBlockAt(doc.line(line).from);
        const element = document.createElement("span");
        element.className = `badge ${mark === now ? (now?.look ?? "") : "next"}`;
        element.textContent = badge;
        const end = this.#view.coordsAtPos(doc.line(line).to);
        const middle =
          end === null ? this.#view.documentTop + block.top + block.height / 2 : (end.top + end.bottom) / 2;
        element.style.top = `${middle - top - 11.5}px`;
        return { element, end };
      });
    this.#badges.replaceChildren(...badges.map(({ element }) => element));
    for (const { element, end } of badges)
      element.hidden = end !== null && end.right + 4 > element.getBoundingClientRect().left;
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
      ...(editable ? {} : { tabindex: "0" }),
    });
    const hadFocus = this.#view.hasFocus; // and loses it, for it cannot be focused for a moment
    this.#view.dispatch({
      effects: [
        this.#editable.reconfigure([
          EditorState.readOnly.of(!editable),
          EditorView.editable.of(editable),
          editable ? [this.#keys, drawSelection(), bracketMatching()] : IN_REPLAY,
          !editable && this.#wraps ? EditorView.lineWrapping : [],
        ]),
        this.#label.reconfigure(attributes),
      ],
    });
    if (hadFocus) this.#view.focus();
  }

  /**
   * @param {Marks} marks
   * @param {boolean} follows whether to scroll to them
   */
  mark(marks, follows) {
    this.#view.dispatch({ effects: setMarks.of(marks) });
    this.#followed = follows ? (marks.now?.line ?? null) : null;
    if (this.#followed !== null) this.#follow(this.#followed);
    this.#placeBadges();
  }

  /** @param {number[]} lines */
  highlight(lines) {
    if (lines.length > 0 || this.#view.state.field(highlightField).size > 0)
      this.#view.dispatch({ effects: setHighlight.of(lines) });
  }

  /**
   * The number of the line that holds an element.
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

  destroy() {
    document.fonts.removeEventListener("loadingdone", this.#measureAgain);
    this.#view.destroy();
  }
}
