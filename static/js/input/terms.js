/** Owns clicks on terms, which open the glossary next to the term. */

import { loadChunk } from "../panes/chunks.js";

/** Adds the listener for clicks on terms, which is never removed. */
export function listenToTerms() {
  document.addEventListener("click", ({ target }) => {
    const term = target instanceof Element ? target.closest(".term") : null;
    if (!(term instanceof HTMLElement) || term.dataset.term === undefined) return;
    const id = term.dataset.term;
    void loadChunk("help").then(({ openTerm }) => openTerm(id, term));
  });
}
