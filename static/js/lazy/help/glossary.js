/**
 * Owns the glossary: the card that explains a term next to the term in a text, and the list of all terms.
 */

import { effect, h, render } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { helpPart, step } from "../../state/store.js";
import { language, say, sayOfTerm, termsNow, withTerms } from "../../state/words.js";
import { rich } from "../../panes/rich.js";

/** The minimum distance in px of a term's card from the edges of the page. */
const MARGIN = 10;

/** @type {HTMLElement | null} */
let card = null;
let from = /** @type {HTMLElement | null} */ (null);

/**
 * Shows the card that explains a term next to the word that was pressed.
 * @param {string} id
 * @param {HTMLElement} word
 */
export function openTerm(id, word) {
  card ??= made();
  const isWithin = card.contains(word);
  if (!isWithin) from = word;
  render(h(Card, { id }), card);
  card.showPopover();
  if (from !== null) place(card, from);
  card.focus();
}

function made() {
  const card = document.createElement("div");
  card.className = "term-card";
  card.popover = "auto";
  card.tabIndex = -1;
  card.setAttribute("role", "dialog");
  card.setAttribute("aria-labelledby", "term-name");
  document.body.append(card);
  const hide = () => card.matches(":popover-open") && card.hidePopover();
  effect(() => {
    void [step.value, language.value];
    hide();
  });
  addEventListener(
    "scroll",
    (event) => event.target instanceof Node && !card.contains(event.target) && hide(),
    { capture: true, passive: true },
  );
  addEventListener("resize", hide);
  return card;
}

/**
 * Places the card of a term below the pressed word, or above it if there is more space.
 * @param {HTMLElement} card
 * @param {HTMLElement} word
 */
function place(card, word) {
  const at = word.getBoundingClientRect();
  const { width, height } = card.getBoundingClientRect();
  const isBelow = at.bottom + 6 + height + MARGIN <= innerHeight || at.top < innerHeight - at.bottom;
  const top = isBelow ? Math.min(at.bottom + 6, innerHeight - height - MARGIN) : at.top - 6 - height;
  card.style.left = `${Math.max(MARGIN, Math.min(at.left, innerWidth - width - MARGIN))}px`;
  card.style.top = `${Math.max(MARGIN, top)}px`;
}

/** @param {{id: string}} props */
function Card({ id }) {
  const all = () => {
    card?.hidePopover();
    helpPart.value = "glossary";
  };
  return [
    h("h3", { id: "term-name", key: "name" }, say(id)),
    h(Meaning, { id, key: `means ${id}` }),
    button({ class: "link", key: "all", onClick: all }, say("glossary-all")),
  ];
}

/** @param {{id: string}} props */
function Meaning({ id }) {
  const example = sayOfTerm(id, "example");
  return [
    h("p", { key: "means" }, rich(withTerms(sayOfTerm(id, "means")), new Set([id]))),
    example === "" ? null : h("pre", { key: "example" }, h("code", null, example)),
  ];
}

/** All terms, in alphabetical order. */
export function Glossary() {
  const terms = termsNow()
    .map((id) => ({ id, name: say(id) }))
    .sort((a, b) => a.name.localeCompare(b.name, language.value));
  return h(
    "dl",
    { class: "glossary" },
    terms.map(({ id, name }) => [h("dt", { key: id }, name), h("dd", { key: `${id}=` }, h(Meaning, { id }))]),
  );
}
