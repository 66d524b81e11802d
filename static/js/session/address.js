/**
 * Owns what the address says: the open lesson or link, or the two that are compared; the step as #step=8
 * (from 1); the granularity.
 */

import { effect } from "../../vendor/ui.js";
import { GRANULARITIES } from "../run/granularity.js";
import { chooseGranularity, goTo, program, replay, snippet, step } from "../state/store.js";
import { flushWhenLeft, replace } from "./address-bar.js";

/** @import {Granularity} from "../run/types.d.ts" */

/** The step and granularity in the hash. A step without a granularity is counted by Node. */
export function readHash() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const number = Number.parseInt(hash.get("step") ?? "", 10);
  const step = Number.isFinite(number) ? Math.max(0, number - 1) : null;
  const granularity =
    GRANULARITIES.find((each) => each === hash.get("by")) ?? (step === null ? null : "node");
  return { step, granularity, stand_in: hash.get("on") === "stand-in" };
}

/**
 * The hash of an address that opens this step.
 * @param {number} step from 0
 * @param {Granularity} granularity
 * @param {boolean} stand_in whether the CPU stood in for a GPU; false for a stored snippet, which has this
 *   flag itself
 */
export function hashOf(step, granularity, stand_in) {
  return `#step=${step + 1}${granularity === "node" ? "" : `&by=${granularity}`}${stand_in ? "&on=stand-in" : ""}`;
}

/**
 * Keep the address and the step in sync: replace the address, without history entries, as the step changes;
 * go to the step when the visitor edits the hash.
 */
export function syncAddress() {
  flushWhenLeft();
  effect(() => replace(replay.value?.address(step.value) ?? addressOfEditor()));
  window.addEventListener("hashchange", () => {
    const requested = readHash();
    if (requested.granularity !== null) chooseGranularity(requested.granularity);
    if (requested.step !== null) goTo(requested.step);
  });
}

/** The address of what is in the editor: a link, a program of the lessons, or the start page. */
export function addressOfEditor() {
  if (snippet.value !== null) return `/s/${snippet.value}`;
  return program.value === null ? "/" : `/lessons/${program.value}`;
}
