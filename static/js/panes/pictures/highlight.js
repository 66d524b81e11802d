/** Owns the highlight: the item at the pointer or the focus, and all items related to it in any pane. */

import { computed, effect, signal } from "../../../vendor/ui.js";
import { relatedTo, stopsOf } from "../../run/related.js";
import { selected } from "../../state/selection.js";
import { labelled } from "../../layout/memory-navigation.js";
import { foldAround } from "../../layout/memory-rows.js";
import { hasEditor, played, state } from "../../state/store.js";
import { why } from "../story/why.js";
import { highlightLines, lineAt } from "../code/code.js";

/** @import {Related, Thing} from "../../run/related.js" */
/** @import {Signal} from "../../../vendor/ui.js" */
/** @import {State, Subject} from "../../run/types.d.ts" */

const HIGHLIGHTED = "highlighted";
/** The CSS selectors of the elements with items that can be highlighted. */
export const CANDIDATES =
  "[data-tensor], [data-window], [data-storage], [data-node], [data-saved], [data-gradient], [data-label], [data-name], .story code, .calls-words code";
const THINGS =
  "[data-label], [data-name], [data-saved], [data-gradient], [data-window], [data-storage], [data-tensor], [data-node], .story code";

/**
 * The item at the pointer or the focus; null if there is none.
 * @type {Signal<Thing | null>}
 */
const pointed = signal(null);
/**
 * The item to highlight: the item at the pointer or the focus, or else the selection. A comparison has no
 * highlight, because both runs use the same ids.
 */
const thing = computed(() => (hasEditor.value ? (pointed.value ?? selected.value) : null));

/** The stops that affect the item at the pointer or the focus, for the timeline. */
export const highlightedStops = computed(() => {
  const index = played.value?.index;
  return index === undefined || pointed.value === null ? [] : stopsOf(index, pointed.value);
});

/** Starts to keep the highlight up to date, until the page is closed. */
export function keepHighlight() {
  for (const name of ["pointerover", "focusin"])
    document.addEventListener(name, (event) => point(thingAt(event)));
  for (const name of ["pointerleave", "focusout"])
    document.documentElement.addEventListener(name, () => point(null));
  effect(() => {
    const [run, now, what] = [played.value, state.value, thing.value];
    void why.value; // run again when the answer to "Why?" changes, because its lines are highlighted, too
    requestAnimationFrame(() =>
      show(run === null || now === null || what === null ? null : relatedTo(run.index, now, what)),
    ); // in the next frame, after the step is drawn
  });
}

/** @param {Thing | null} next */
function point(next) {
  const old = pointed.peek();
  if (next?.kind !== old?.kind || next?.id !== old?.id) pointed.value = next;
}

/**
 * @param {Event} event
 * @returns {Thing | null}
 */
function thingAt(event) {
  const now = state.peek();
  const target = event.composedPath()[0];
  if (now === null || !hasEditor.peek() || !(target instanceof Element)) return null;
  const line = event.type === "pointerover" ? lineAt(target) : null;
  if (line !== null) return { kind: "line", id: line };
  const element = /** @type {HTMLElement | SVGElement | null} */ (target.closest(THINGS));
  return element === null ? null : thingOf(element, now);
}

/**
 * @param {HTMLElement | SVGElement} element
 * @param {State} now
 * @returns {Thing | null}
 */
function thingOf(element, now) {
  const { label, name, saved, gradient, tensor, window, storage, node } = element.dataset;
  if (label !== undefined) return labelled(label);
  if (saved !== undefined) return { kind: "saved", id: Number(saved) };
  if (gradient !== undefined) return { kind: "gradient", id: gradient };
  if (tensor !== undefined || window !== undefined) return { kind: "tensor", id: Number(tensor ?? window) };
  if (storage !== undefined) return { kind: "storage", id: Number(storage) };
  if (node !== undefined) return { kind: "node", id: Number(node) };
  return named(name ?? element.textContent ?? "", now);
}

/**
 * The item with the given name after the step: a storage, or a tensor by one of its names or by its address,
 * `x.data_ptr()`.
 * @param {string} written
 * @param {State} now
 * @returns {Subject | null}
 */
export function named(written, now) {
  const text = written.replace(/^id\((.*)\)|^(.*)\.data_ptr\(\)/, "$1$2");
  if (/^S\d+$/.test(text)) return { kind: "storage", id: Number(text.slice(1)) };
  for (const { id } of played.peek()?.index.tensors ?? []) {
    const label = now.tensors.get(id)?.labels.find((candidate) => candidate.text === text);
    if (label !== undefined) return labelled(label.key);
  }
  return null;
}

/**
 * Highlights an item and its related items, and clears the previous highlight. No other code changes the
 * highlight.
 * @param {Related | null} found
 */
function show(found) {
  for (const element of document.querySelectorAll(`.${HIGHLIGHTED}`)) element.classList.remove(HIGHLIGHTED);
  highlightLines([...new Set([...(found?.lines ?? []), ...(why.peek()?.chain.lines ?? [])])]);
  document.documentElement.classList.toggle("one-tensor", found?.tensors.size === 1);
  if (found === null) return;
  for (const element of document.querySelectorAll(CANDIDATES))
    if (isRelated(/** @type {HTMLElement} */ (element), found)) element.classList.add(HIGHLIGHTED);
  const [run, now] = [played.peek(), state.peek()];
  if (run === null || now === null) return;
  for (const storage of found.storages) {
    const row = foldAround(run.memory, now, storage);
    if (row)
      document.querySelector(`[data-row="${CSS.escape(row.key)}"] .storages`)?.classList.add(HIGHLIGHTED);
  }
}

/**
 * Whether an element of a pane shows one of the related items.
 * @param {HTMLElement | SVGElement} element
 * @param {Related} found
 */
export function isRelated(element, found) {
  const { tensor, window, storage, node, saved, gradient, label, name } = element.dataset;
  if (label !== undefined) return found.labels.has(label);
  if (tensor !== undefined || window !== undefined) return found.tensors.has(Number(tensor ?? window));
  if (storage !== undefined) return found.storages.has(Number(storage));
  if (node !== undefined) return found.nodes.has(Number(node));
  if (saved !== undefined) return found.saved.has(Number(saved));
  if (gradient !== undefined) return found.gradients.has(gradient);
  const text = name ?? element.textContent ?? "";
  return found.names.has(text) || (/^S\d+$/.test(text) && found.storages.has(Number(text.slice(1))));
}
