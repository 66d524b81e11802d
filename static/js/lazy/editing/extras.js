/** Owns the additional functions of the editor: find and replace, and completion of torch's names. */

import { EditorState, EditorView, Prec, keymap } from "../../../vendor/codemirror.js";
import {
  autocompletion,
  closeSearchPanel,
  findNext,
  findPrevious,
  ifNotIn,
  openSearchPanel,
  search,
} from "../../../vendor/codemirror-more.js";
import { runOrStop } from "../../session/running.js";
import { say } from "../../state/words.js";
import { torchNames } from "./completion.js";

/** @import {Extension} from "../../../vendor/codemirror.js" */

/** CodeMirror's texts, and the ids of the messages that replace them. */
const PHRASES = {
  Find: "find",
  Replace: "find-by",
  next: "find-next",
  previous: "find-previous",
  all: "find-all",
  "match case": "find-case",
  regexp: "find-regexp",
  "by word": "find-words",
  replace: "find-replace",
  "replace all": "find-replace-all",
  close: "close",
  "current match": "find-current",
  "on line": "find-on-line",
  "replaced $ matches": "find-replaced",
  "replaced match on line $": "find-replaced-one",
  Completions: "completions",
};

/**
 * The CodeMirror extensions for find and completion, with texts in the language of the page. Escape closes
 * an open completion list or search panel; only another Escape leaves the editor. Enter accepts a completion
 * only after an arrow key selected it. Tab always indents.
 * @returns {Extension}
 */
export function extras() {
  const phrases = Object.entries(PHRASES).map(([phrase, id]) => [phrase, say(id)]);
  return [
    EditorState.phrases.of(Object.fromEntries(phrases)),
    search({ top: true }),
    Prec.high(
      keymap.of(
        [
          { key: "Mod-f", run: openSearchPanel },
          { key: "F3", run: findNext, shift: findPrevious, preventDefault: true },
          { key: "Mod-g", run: findNext, shift: findPrevious, preventDefault: true },
          { key: "Escape", run: closeSearchPanel },
          { key: "Mod-Enter", run: () => runOrStop() ?? true },
        ].map((binding) => ({ ...binding, scope: "editor search-panel" })),
      ),
    ),
    autocompletion({
      override: [ifNotIn(["string", "comment"], torchNames)],
      selectOnOpen: false,
      filterStrict: true,
      icons: false,
    }),
    look,
  ];
}

const look = EditorView.theme({
  ".cm-panels": { backgroundColor: "var(--panel)", color: "var(--ink)" },
  ".cm-panels-top": { borderBlock: "1px solid var(--hairline)" },
  ".cm-panel.cm-search": {
    display: "flex",
    flexWrap: "wrap",
    gap: "4px 8px",
    alignItems: "center",
    padding: "8px 40px 8px 12px",
    fontFamily: "var(--sans)",
  },
  ".cm-panel.cm-search :is(input, button, label)": {
    margin: "0",
    fontSize: "var(--small)",
    fontFamily: "inherit",
  },
  ".cm-panel.cm-search label": { display: "flex", gap: "4px", alignItems: "center", minHeight: "24px" },
  ".cm-panel.cm-search br": { display: "none" },
  ".cm-textfield": {
    flex: "1 1 11em",
    minWidth: "0",
    minHeight: "28px",
    padding: "0 8px",
    border: "1px solid var(--line)",
    borderRadius: "8px",
    backgroundColor: "var(--panel)",
    color: "var(--ink)",
  },
  ".cm-button": {
    minHeight: "28px",
    padding: "0 8px",
    border: "1px solid var(--line)",
    borderRadius: "8px",
    background: "var(--panel)",
    color: "var(--ink)",
    fontWeight: "550",
    cursor: "pointer",
  },
  ".cm-panel.cm-search button[name=close]": {
    top: "8px",
    right: "8px",
    width: "28px",
    height: "28px",
    color: "var(--ink)",
    fontSize: "20px",
  },
  ":is(.cm-textfield, .cm-button, .cm-panel.cm-search [name=close]):focus-visible": {
    outline: "2px solid var(--focus)",
    outlineOffset: "1px",
  },
  ".cm-searchMatch": { backgroundColor: "var(--selection)", outline: "1px solid var(--muted)" },
  ".cm-searchMatch-selected": { outline: "2px solid var(--focus)" },
  ".cm-tooltip": {
    border: "1px solid var(--line)",
    borderRadius: "8px",
    backgroundColor: "var(--panel)",
    color: "var(--ink)",
    overflow: "hidden",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "var(--code-size)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "2px 8px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "var(--ink)",
    color: "var(--on-ink)",
  },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "750" },
});
