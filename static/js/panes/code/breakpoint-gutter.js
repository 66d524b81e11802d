/**
 * Draws the breakpoints in the gutter of the code, and the mark of the line that is selected with the
 * keyboard.
 */

import {
  Decoration,
  EditorView,
  GutterMarker,
  StateEffect,
  StateField,
  gutter,
} from "../../../vendor/codemirror.js";

/** @typedef {{lines: ReadonlySet<number>, chosen: number | null}} Chosen */

/** @type {import("../../../vendor/codemirror.js").StateEffectType<Chosen>} */
export const setChosen = StateEffect.define();

/** @type {Chosen & {shown: import("../../../vendor/codemirror.js").DecorationSet}} */
const NOTHING = { lines: new Set(), chosen: null, shown: Decoration.none };

/** @type {StateField<Chosen & {shown: import("../../../vendor/codemirror.js").DecorationSet}>} */
export const chosenField = StateField.define({
  create: () => NOTHING,
  update(value, transaction) {
    for (const effect of transaction.effects)
      if (effect.is(setChosen)) return { ...effect.value, shown: chosenIn(transaction.newDoc, effect.value) };
    return transaction.docChanged ? NOTHING : value;
  },
  provide: (field) => EditorView.decorations.from(field, (value) => value.shown),
});

/**
 * @param {import("../../../vendor/codemirror.js").Text} text
 * @param {Chosen} chosen
 */
function chosenIn(text, { chosen }) {
  if (chosen === null || chosen < 1 || chosen > text.lines) return Decoration.none;
  return Decoration.set([Decoration.line({ class: "line-chosen" }).range(text.line(chosen).from)]);
}

class Breakpoint extends GutterMarker {
  /** @override */
  eq() {
    return true;
  }

  /** @override */
  toDOM() {
    const sign = document.createElement("span");
    sign.className = "breakpoint";
    return sign;
  }
}

const SIGN = new Breakpoint();

export const breakpointGutter = gutter({
  class: "breakpoints",
  lineMarkerChange: (update) => update.startState.field(chosenField) !== update.state.field(chosenField),
  lineMarker: (view, block) =>
    view.state.field(chosenField).lines.has(view.state.doc.lineAt(block.from).number) ? SIGN : null,
});
