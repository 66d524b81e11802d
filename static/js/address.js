/** Owns the address bar: the lesson or link that is open, and the step as #step=8 (counted from 1). */

import { effect } from "../vendor/ui.js";
import { lesson, played, snippet, step } from "./store.js";

/** What the address asks for. */
export function asked() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const number = Number.parseInt(hash.get("step") ?? "", 10);
  return { lesson: new URLSearchParams(location.search).get("lesson"), step: Number.isFinite(number) ? Math.max(0, number - 1) : null };
}

/** Keep the address true, without filling the history. */
export function keepAddress() {
  effect(() => {
    const path = snippet.value !== null ? `/s/${snippet.value}` : "/";
    const query = snippet.value === null && lesson.value !== null ? `?lesson=${encodeURIComponent(lesson.value)}` : "";
    const hash = played.value === null ? "" : `#step=${step.value + 1}`;
    const address = path + query + hash;
    if (location.pathname + location.search + location.hash !== address) replace(address);
  });
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let pending;
let last = 0;

/** Browsers refuse more than some hundred changes in half a minute, so a slider's are gathered. @param {string} address */
function replace(address) {
  clearTimeout(pending);
  const write = () => {
    last = performance.now();
    history.replaceState(null, "", address);
  };
  const wait = 200 - (performance.now() - last);
  if (wait <= 0) write();
  else pending = setTimeout(write, wait);
}
