/**
 * Owns the lines between tensors of one storage: from a view to its base, and between those that share a
 * version counter.
 */

import { el } from "./svg.js";

/** @import {MemorySlot, State} from "../run/types.d.ts" */
/** @import {Measures} from "../run/types.d.ts" */
/** @import {Shape} from "./svg.js" */

/**
 * In px beside the cards: where the line of views runs, and how far under a card's upper edge it leaves and
 * arrives.
 */
const TRUNK = 9;
const LEAVES = 40;
/** Of a version's pill: its upper and lower edge below that of its card, and half the width of `v0`. */
const PILL = { top: 5, bottom: 27, half: 17 };

/**
 * The lines from each view to its base, which has the diamond.
 * @param {State} state
 * @param {MemorySlot[]} slots of one storage, at this step
 * @param {Measures} measures
 * @returns {Shape[]}
 */
export function viewLinks(state, slots, { card }) {
  const upper = (/** @type {MemorySlot} */ slot) => slot.y + (slot.height - card.height) / 2;
  return slots.flatMap((slot) => {
    const base = slots.find((candidate) => candidate.tensor === state.tensors.get(slot.tensor)?.base);
    if (base === undefined || base === slot) return [];
    const x = slot.x + slot.width;
    const [from, to] = [upper(slot) + LEAVES, upper(base) + LEAVES];
    const turn = Math.sign(to - from) * 5;
    return [
      el(
        "g",
        { key: `v${slot.tensor}`, class: "view-link", "data-view": `${slot.tensor} ${base.tensor}` },
        el("path", {
          class: "view-line",
          d: `M${x},${from} h${TRUNK - 5} q5,0 5,${turn} V${to - turn} q0,${turn} -3,${turn}`,
        }),
        el("path", { class: "view-diamond", d: `M${x + 1},${to} l4.5,-4.5 l4.5,4.5 l-4.5,4.5 z` }),
      ),
    ];
  });
}

/**
 * The lines between pills of one version counter; they pass the pills of other counters at the side.
 * @param {State} state
 * @param {MemorySlot[]} slots of one storage, at this step
 * @param {Measures} measures
 * @returns {Shape[]}
 */
export function counterStrings(state, slots, { card, compact }) {
  const upper = (/** @type {MemorySlot} */ slot) => slot.y + (slot.height - card.height) / 2;
  const edge = compact ? 6 : 9;
  return slots.flatMap((slot, place) => {
    const counter = state.tensors.get(slot.tensor)?.counter ?? null;
    const next =
      counter === null
        ? -1
        : slots.findIndex(
            (candidate, at) => at > place && state.tensors.get(candidate.tensor)?.counter === counter,
          );
    if (next < 0) return [];
    const other = /** @type {MemorySlot} */ (slots[next]);
    const x = slot.x + slot.width - edge - PILL.half;
    const [from, to] = [upper(slot) + PILL.bottom, upper(other) + PILL.top];
    const edgeX = slot.x + slot.width - 4;
    const bypass = `V${upper(slot) + card.height + 1} Q${x},${upper(slot) + card.height + 5} ${edgeX},${upper(slot) + card.height + 8} V${upper(other) - 8} Q${x},${upper(other) - 5} ${x},${upper(other) - 1} V${to}`;
    const d = next === place + 1 ? `M${x},${from} V${to}` : `M${x},${from} ${bypass}`;
    return [
      el("path", {
        key: `k${slot.tensor}`,
        class: "counter-string",
        d,
        "data-counter": `${slot.tensor} ${other.tensor}`,
      }),
    ];
  });
}

/**
 * Whether any two of these tensors share a version counter.
 * @param {State} state
 * @param {MemorySlot[]} slots
 */
export function shareCounter(state, slots) {
  const counters = slots
    .map((slot) => state.tensors.get(slot.tensor)?.counter ?? null)
    .filter((counter) => counter !== null);
  return new Set(counters).size < counters.length;
}
