/** What codemirror.js exports: what the editor uses, and no more. One file, because extensions of a second @codemirror/state are refused. */
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

export type { StateEffectType, Text } from "@codemirror/state";
export type { DecorationSet } from "@codemirror/view";
