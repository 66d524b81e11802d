/** Owns the click on a term, wherever a sentence shows one: the glossary opens beside it. */

import { loadChunk } from "../panes/chunks.js";

/** Listen for as long as the page lives. */
export function listenToTerms() {
  document.addEventListener("click", ({ target }) => {
    const term = target instanceof Element ? target.closest(".term") : null;
    if (!(term instanceof HTMLElement) || term.dataset.term === undefined) return;
    const id = term.dataset.term;
    void loadChunk("help").then(({ openTerm }) => openTerm(id, term));
  });
}
