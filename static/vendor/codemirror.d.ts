/** What codemirror.js exports: what the editor uses, what codemirror-more.js shares with it, and no more. */
export { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
export {
  Decoration, EditorView, GutterMarker, drawSelection, gutter, highlightSpecialChars, keymap, lineNumbers,
} from "@codemirror/view";
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export {
  HighlightStyle, StreamLanguage, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting,
} from "@codemirror/language";
export { python } from "@codemirror/legacy-modes/mode/python";
export { tags } from "@lezer/highlight";

// Shared: extensions of a second one are refused.
export {
  Annotation, EditorSelection, Facet, MapMode, Prec, RangeSet, RangeSetBuilder, RangeValue, Text, Transaction,
} from "@codemirror/state";
export { Direction, ViewPlugin, WidgetType } from "@codemirror/view";
export { syntaxTree } from "@codemirror/language";

export type { Extension, StateEffectType } from "@codemirror/state";
export type { DecorationSet, ViewUpdate } from "@codemirror/view";
