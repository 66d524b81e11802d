/**
 * Owns the lines between tensors of one storage: from a view to its base, and between tensors with the same
 * version counter.
 */

import { el } from "./svg.js";

/** @import {MemorySlot, State} from "../run/types.d.ts" */
/** @import {Measures} from "../run/types.d.ts" */
/** @import {Shape} from "./svg.js" */

/**
 * Positions in picture units of the line from a view to its base: its distance from the cards, and the
 * distances below the upper edge of a card at which it begins and ends.
 */
const TRUNK = 9;
const LEAVES = 40;
/**
 * The distance in picture units from the upper edge of a tensor's card to the middle of the pill with its
 * version.
 */
const PILL = 16;
/**
 * The positions of the lines between tensors with the same version counter: between the lines of views and
 * the arrow heads.
 */
const GUTTER = { at: 17, step: 4, most: 2 };

/**
 * The lines from each view to its base. A diamond marks the base.
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
 * The lines that connect the versions of tensors with the same version counter. The lines are to the left of
 * the tensors' cards, with a separate position for each version counter.
 * @param {State} state
 * @param {MemorySlot[]} slots of one storage, at this step
 * @param {Measures} measures
 * @returns {Shape[]}
 */
export function counterStrings(state, slots, { card }) {
  const middle = (/** @type {MemorySlot} */ slot) => slot.y + (slot.height - card.height) / 2 + PILL;
  const counters = slots.map((slot) => state.tensors.get(slot.tensor)?.counter ?? null);
  const shared = [...new Set(counters)].filter(
    (counter) => counter !== null && counters.indexOf(counter) < counters.lastIndexOf(counter),
  );
  return slots.flatMap((slot, place) => {
    const counter = counters[place] ?? null;
    const next = counter === null ? -1 : counters.indexOf(counter, place + 1);
    const other = slots[next];
    if (other === undefined) return [];
    const right = slot.x + slot.width;
    const x = right + GUTTER.at - (shared.indexOf(counter) % GUTTER.most) * GUTTER.step;
    const pill = right - 14;
    const [from, to] = [middle(slot), middle(other)];
    return [
      el("path", {
        key: `k${slot.tensor}`,
        class: "counter-string",
        d: `M${pill},${from} H${x - 4} Q${x},${from} ${x},${from + 4} V${to - 4} Q${x},${to} ${x - 4},${to} H${pill}`,
        "data-counter": `${slot.tensor} ${other.tensor}`,
      }),
    ];
  });
}
