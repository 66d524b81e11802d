/**
 * Owns the comparison that is shown: how it begins and ends, in what its runs differ, and how its address
 * names them.
 */

import { batch, computed, effect, signal } from "../../../vendor/ui.js";
import { typed } from "../../session/actions.js";
import { hashOf } from "../../session/address.js";
import { keepSnippet } from "../../io/api.js";
import { differAt, differencesAt } from "./differences.js";
import { writeStored, readStored } from "../../io/browser-storage.js";
import { graphLayout } from "../../io/graph-layout.js";
import { programOf, sourceOf } from "../../state/programs.js";
import {
  comparison,
  isPlaying,
  mode,
  played,
  standIn,
  state,
  step,
  granularity,
  zoom,
} from "../../state/store.js";
import { SIDES, statesAt, comparisonOf } from "./comparison.js";
import { withGranularity } from "../../run/granularity.js";

/** @import {Signal} from "../../../vendor/ui.js" */
/** @import {ComparisonOnPage, Played} from "../../state/store.js" */
/** @import {SideName} from "./comparison.js" */
/** @import {Compared, Comparison, Index, Sentence, Sides} from "../../run/types.d.ts" */

/**
 * A snippet that is to stand beside another. `index`: its run, where there is one; `snippet`: the id of its
 * link.
 * @typedef {{
 *   source: string,
 *   stand_in: boolean,
 *   title: Sentence | null,
 *   snippet: string | null,
 *   index: Index | null,
 * }} Wanted
 */

const OWN = "compare";

/**
 * What was shown before; `step`: its id.
 * @type {{played: Played | null, step: number, mode: "edit" | "replay"} | null}
 */
let before = null;

/**
 * @param {ComparisonOnPage["page"]} page
 * @param {Compared} left
 * @param {Compared} right
 * @param {number} at the moment to show first
 */
export function begin(page, left, right, at) {
  if (comparison.peek() === null)
    before = { played: played.peek(), step: state.peek()?.stop.step.id ?? -1, mode: mode.peek() };
  const both = comparisonOf(left, right);
  batch(() => {
    comparison.value = { ...both, page };
    played.value = null;
    mode.value = "replay";
    zoom.value = 1;
    step.value = Math.max(0, Math.min(at, both.moments.length - 1));
  });
  const texts = SIDES.map((side) => ({
    source: both[side].index.source,
    stand_in: both[side].index.header.stand_in ?? false,
    title: both[side].title,
  }));
  if (SIDES.some((side) => nameOf(both[side]) === "own"))
    writeStored(OWN, JSON.stringify(texts), "sessionStorage");
}

/** Back to where the visitor was. */
export function leaveComparison() {
  const old = before;
  before = null;
  batch(() => {
    isPlaying.value = false;
    comparison.value = null;
    const index =
      old === null || old.played === null ? null : withGranularity(old.played.index, granularity.peek());
    played.value = index === null || !old?.played ? null : { ...old.played, index };
    step.value = Math.max(0, index?.stop_of.get(old?.step ?? -1) ?? 0);
    mode.value = old?.mode ?? "edit";
  });
}

/**
 * Back to the editor, with the code of one side.
 * @param {SideName} side
 */
export function editSide(side) {
  const index = comparison.peek()?.[side].index;
  if (index === undefined) return;
  batch(() => {
    leaveComparison();
    typed(index.source);
    standIn.value = index.header.stand_in ?? false;
    mode.value = "edit";
  });
}

/** What both runs show; null before the first stop of one. */
export const states = computed(() =>
  comparison.value === null ? null : statesAt(comparison.value, step.value),
);

/** In what they differ now. */
export const differences = computed(() => at(comparison.value, step.value));
/** In what they differ in the end. */
export const outcome = computed(() => at(comparison.value, (comparison.value?.moments.length ?? 0) - 1));

/**
 * @param {Comparison | null} both
 * @param {number} m
 */
function at(both, m) {
  return both === null ? null : differencesAt(sidesAt(both, m), both.nodes);
}

/**
 * @param {Comparison} both
 * @param {number} m
 */
function sidesAt(both, m) {
  const now = statesAt(both, m);
  return {
    left: { index: both.left.index, state: now.left },
    right: { index: both.right.index, state: now.right },
  };
}

/**
 * Open a group of a side's graph that is folded, fold one that is open.
 * @param {SideName} side
 * @param {string} key
 */
export async function foldIn(side, key) {
  const own = comparison.peek()?.[side];
  if (own === undefined) return;
  const open = new Set(own.graph.open);
  if (!open.delete(key)) open.add(key);
  const graph = await graphLayout(own.index, own.graph.measures, open);
  const both = comparison.peek();
  if (both?.[side].graph === own.graph) comparison.value = { ...both, [side]: { ...own, graph } };
}

/** How long one look through the moments may take before the page has its turn. */
const SLICE_MS = 8;

/**
 * The moments at which the runs differ, as far as they have been looked through.
 * @type {Signal<number[]>}
 */
export const differing = signal([]);
const moments = computed(() => comparison.value?.moments ?? []);
effect(() => {
  differing.value = [];
  lookThrough(moments.value, 0, []);
});

/**
 * @param {Comparison["moments"]} own
 * @param {number} from
 * @param {number[]} found
 */
function lookThrough(own, from, found) {
  const both = comparison.peek();
  if (both?.moments !== own) return;
  const until = performance.now() + SLICE_MS;
  let m = from;
  for (; m < own.length && performance.now() < until; m += 1) {
    if (differAt(sidesAt(both, m), both.nodes)) found.push(m);
  }
  // the first at once, then all
  if (found.length > 0 && (differing.peek().length === 0 || m === own.length)) differing.value = [...found];
  // Safari has no idle callbacks
  if (m < own.length) (globalThis.requestIdleCallback ?? setTimeout)(() => lookThrough(own, m, found));
}

/**
 * What the address calls a side: a link's id, a program of the course, or what only this tab has.
 * @param {Compared} side
 */
export function nameOf({ index, snippet }) {
  if (snippet !== null) return `s/${snippet}`;
  return (index.header.stand_in ? null : programOf(index.source)) ?? "own";
}

/** @param {Sides<Compared>} both */
export function addressOf({ left, right }) {
  return `/?compare=${nameOf(left)},${nameOf(right)}`;
}

/**
 * Keep both, lessons too: what a lesson says may change, what a link shows does not.
 * @returns {Promise<string | null>} where they are seen; null when they are shown no more
 */
export async function keptBoth() {
  /** @type {Partial<Sides<string>>} */
  const ids = {};
  const shown = comparison.peek();
  for (const side of SIDES) {
    if (shown !== null)
      ids[side] =
        shown[side].snippet ??
        (await keepSnippet(shown[side].index.source, shown[side].index.header.stand_in ?? false)).id;
  }
  const both = comparison.peek();
  if (both === null || both.pairs !== shown?.pairs) return null;
  const [left, right] = [
    { ...both.left, snippet: ids.left ?? null },
    { ...both.right, snippet: ids.right ?? null },
  ];
  comparison.value = { ...both, left, right };
  return addressOf({ left, right }) + hashOf(step.peek(), granularity.peek(), false);
}

/** Load the style sheet of a comparison, where the page did not. */
export function loadStylesheet() {
  const address = new URL("../../../css/compare.css", import.meta.url).pathname;
  if (document.querySelector(`link[href="${address}"]`) !== null) return Promise.resolve();
  const sheet = document.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = address;
  const loaded = new Promise((resolve, reject) => {
    sheet.onload = resolve;
    sheet.onerror = reject;
  });
  document.head.append(sheet);
  return loaded;
}

/**
 * What an address asks for; null when this tab does not have it.
 * @param {string[]} names
 * @returns {Sides<Wanted> | null}
 */
export function wantedBy(names) {
  const [left, right] = names.map(wanted);
  return left && right ? { left, right } : null;
}

/**
 * @param {string} name
 * @param {number} place
 * @returns {Wanted | null}
 */
function wanted(name, place) {
  const plain = { source: "", stand_in: false, title: null, snippet: null, index: null };
  if (name.startsWith("s/")) return { ...plain, snippet: name.slice(2) };
  const source = sourceOf(name);
  if (source !== undefined) return { ...plain, source };
  const own = JSON.parse(readStored(OWN, "sessionStorage") ?? "[]")[place];
  return own === undefined ? null : { ...plain, ...own };
}
