/**
 * Owns the address bar: the lesson or link that is open, or two of them side by side, the step as #step=8
 * (counted from 1), and at which granularity.
 */

import { effect } from "../../vendor/ui.js";
import { GRANULARITIES } from "../run/granularity.js";
import { chooseGranularity, goTo, program, replay, snippet, step } from "../state/store.js";
import { flushWhenLeft, replace } from "./address-bar.js";

/** @import {Granularity} from "../run/types.d.ts" */

/** What the address asks for. A step without a granularity is one of those from Node to Node. */
export function readHash() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const number = Number.parseInt(hash.get("step") ?? "", 10);
  const step = Number.isFinite(number) ? Math.max(0, number - 1) : null;
  const granularity =
    GRANULARITIES.find((each) => each === hash.get("by")) ?? (step === null ? null : "node");
  return { step, granularity, stand_in: hash.get("on") === "stand-in" };
}

/**
 * The end of an address that leads to this very step.
 * @param {number} step from 0
 * @param {Granularity} granularity
 * @param {boolean} stand_in whether the CPU stood in for a GPU; a kept snippet knows that itself
 */
export function hashOf(step, granularity, stand_in) {
  return `#step=${step + 1}${granularity === "node" ? "" : `&by=${granularity}`}${stand_in ? "&on=stand-in" : ""}`;
}

/**
 * Keep the address true, without filling the history; and follow it when the visitor changes the step in it.
 */
export function syncAddress() {
  flushWhenLeft();
  effect(() => replace(replay.value?.address(step.value) ?? addressOfEditor()));
  window.addEventListener("hashchange", () => {
    const wanted = readHash();
    if (wanted.granularity !== null) chooseGranularity(wanted.granularity);
    if (wanted.step !== null) goTo(wanted.step);
  });
}

/** The address of what is in the editor: a link, a program of the course, or the plain page. */
export function addressOfEditor() {
  if (snippet.value !== null) return `/s/${snippet.value}`;
  return program.value === null ? "/" : `/lessons/${program.value}`;
}
