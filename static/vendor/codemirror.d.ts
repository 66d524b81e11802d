/** What codemirror.js exports. One file, because extensions of a second @codemirror/state are refused. */
export {
  Annotation, AnnotationType, Compartment, EditorSelection, EditorState, Facet, Prec, RangeSet, RangeSetBuilder, RangeValue,
  SelectionRange, StateEffect, StateEffectType, StateField, Text, Transaction,
} from "@codemirror/state";
export {
  Decoration, EditorView, GutterMarker, ViewPlugin, ViewUpdate, WidgetType, drawSelection, dropCursor, gutter, gutterLineClass,
  highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, hoverTooltip, keymap, lineNumberMarkers, lineNumbers,
  placeholder, rectangularSelection, showTooltip,
} from "@codemirror/view";
export {
  defaultKeymap, history, historyKeymap, indentLess, indentMore, indentWithTab, insertNewlineAndIndent, redo, standardKeymap,
  toggleComment, undo,
} from "@codemirror/commands";
export {
  HighlightStyle, Language, LanguageSupport, bracketMatching, defaultHighlightStyle, indentOnInput, indentUnit,
  syntaxHighlighting, syntaxTree,
} from "@codemirror/language";
export { pythonLanguage } from "@codemirror/lang-python";
export { classHighlighter, highlightCode, highlightTree, tagHighlighter, tags } from "@lezer/highlight";

export type {
  ChangeDesc, ChangeSet, ChangeSpec, EditorStateConfig, Extension, Line, Range, StateCommand, TransactionSpec,
} from "@codemirror/state";
export type {
  BlockInfo, Command, DecorationSet, EditorViewConfig, KeyBinding, PluginValue, Rect, Tooltip, TooltipView,
} from "@codemirror/view";
