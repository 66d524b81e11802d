/** What codemirror-more.js exports: find and completion, which load later. It imports the editor from codemirror.js. */
export { closeSearchPanel, findNext, findPrevious, openSearchPanel, search } from "@codemirror/search";
export { autocompletion, ifNotIn, startCompletion } from "@codemirror/autocomplete";

export type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
