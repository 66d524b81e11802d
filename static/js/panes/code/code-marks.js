/** Draws the marks of a step on the code: marked lines, marked spans of text, and signs in the gutter. */

import {
  Decoration,
  EditorView,
  GutterMarker,
  StateEffect,
  StateField,
  gutter,
} from "../../../vendor/codemirror.js";

/** @import {DecorationSet, Text} from "../../../vendor/codemirror.js" */
/** @import {Span} from "../../run/trace.d.ts" */

/**
 * @typedef {object} Marks The marks of a step in the code; lines count from 1.
 * @property {Set<number>} ran
 * @property {
 *   | {
 *       line: number,
 *       end_line: number,
 *       look: "ran" | "running" | "raised" | "waits",
 *       badge: string,
 *       note?: string,
 *     }
 *   | null
 * } now `badge`: "" for none; `note`: text below the line
 * @property {{line: number, badge: string} | null} next
 * @property {Span | null} span
 * @property {boolean} isPart whether the span is a part of a statement, and is highlighted
 * @property {Span | null} origin the code in the forward that made the running Node
 * @property {Map<number, {title: string, isHint: boolean}>} flags a finding's title by line
 * @property {Set<number>} others lines that differ from the other side's code
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

/** @type {import("../../../vendor/codemirror.js").StateEffectType<Marks>} */
export const setMarks = StateEffect.define();

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
 * @param {number} column in code points; JavaScript counts UTF-16 units
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
      ranges.push(
        Decoration.line({
          class: `line-now ${now.look}`,
          attributes: now.note === undefined ? {} : { "data-note": now.note },
        }).range(text.line(line).from),
      );
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
export const marksField = StateField.define({
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

/** @type {import("../../../vendor/codemirror.js").StateEffectType<number[]>} */
export const setHighlight = StateEffect.define();

/** The lines that belong to the item under the pointer in another pane. */
export const highlightField = StateField.define({
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

export const signs = gutter({
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

/** Signs in the gutter at the lines that differ from the other program of a comparison. */
export const otherSigns = gutter({
  class: "signs others",
  initialSpacer: () => new Sign("≠", "other"),
  lineMarkerChange: (update) => update.startState.field(marksField) !== update.state.field(marksField),
  lineMarker(view, block) {
    const { others } = view.state.field(marksField).marks;
    return others.has(view.state.doc.lineAt(block.from).number) ? new Sign("≠", "other") : null;
  },
});
