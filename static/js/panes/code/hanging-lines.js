/**
 * Wraps long lines of code while a recording is shown: further rows of a line are indented like its first
 * row, and words are not broken.
 */

import { Decoration, EditorView } from "../../../vendor/codemirror.js";

/**
 * In characters: the additional indentation of a wrapped line's further rows, and the maximum of their total
 * indentation.
 */
const FURTHER = 2;
const MOST = 26;

/**
 * Where long text without a space may be broken: after a bracket, a comma or an equals sign, and before a
 * dot of a long path.
 */
const LONG = /\S{20,}/g;
const AFTER = /[([{,=](?=[^)\]}])/g;
const LONG_PATH = /[\p{L}\p{N}_.]{20,}/gu;
const BEFORE = /(?!^)\.(?=[\p{L}_])/gu;
const LOOKS = {
  after: Decoration.mark({ class: "break-after" }),
  before: Decoration.mark({ class: "break-before" }),
};

/** @type {Map<number, Decoration>} */
const hangings = new Map();

/**
 * The decoration for a wrapped line that is indented by the given number of characters.
 * @param {number} letters
 */
function hanging(letters) {
  const by = Math.min(letters + FURTHER, MOST);
  const known =
    hangings.get(by) ?? Decoration.line({ class: "hanging", attributes: { style: `--hang:${by}ch` } });
  hangings.set(by, known);
  return known;
}

/** @param {EditorView} view */
function hangingIn({ state, visibleRanges }) {
  const ranges = [];
  for (const { from, to } of visibleRanges)
    for (let at = from; at <= to; ) {
      const line = state.doc.lineAt(at);
      const indent = line.text.match(/^\s*/)?.[0].replaceAll("\t", " ".repeat(state.tabSize)).length ?? 0;
      ranges.push(hanging(indent).range(line.from));
      for (const [look, long, places] of /** @type {const} */ ([
        [LOOKS.after, LONG, AFTER],
        [LOOKS.before, LONG_PATH, BEFORE],
      ]))
        for (const { 0: run, index } of line.text.matchAll(long))
          for (const { index: place } of run.matchAll(places))
            ranges.push(look.range(line.from + index + place, line.from + index + place + 1));
      at = line.to + 1;
    }
  return Decoration.set(ranges, true);
}

/**
 * The extension that wraps long lines. The extension computes the decorations again for another text or
 * other visible lines, but not at a step.
 */
export function hangingLines() {
  let [doc, seen, shown] =
    /** @type {[unknown, unknown, import("../../../vendor/codemirror.js").DecorationSet]} */ ([
      null,
      null,
      Decoration.none,
    ]);
  return EditorView.decorations.of((view) => {
    if (view.state.doc !== doc || view.visibleRanges !== seen) {
      [doc, seen] = [view.state.doc, view.visibleRanges];
      shown = hangingIn(view);
    }
    return shown;
  });
}
