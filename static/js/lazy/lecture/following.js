/** Owns the collection of steps for a lecture: each step at which a presenter stopped. */

import { shownRun } from "../../io/api.js";
import { effect } from "../../../vendor/ui.js";
import { stepAddress } from "../../run/stops/step-address.js";
import { withChunk } from "../../panes/chunks.js";
import { selected } from "../../state/selection.js";
import { asked } from "../../state/asked.js";
import { isPresenting } from "../../state/preferences.js";
import { isPlaying, replay, snippet, state } from "../../state/store.js";
import { keep } from "./kept.js";

/** @import {Index} from "../../run/types.d.ts" */
/** @import {Marked, ShownStep} from "../../io/lectures.js" */

/** A step is collected for a lecture after it was shown for this time in ms. */
const MOMENT_MS = 2000;

let isFollowing = false;

/** Starts the collection of shown steps for a lecture. Steps are collected only in presenter mode. */
export function keepWhatIsShown() {
  if (isFollowing) return;
  isFollowing = true;
  effect(() => {
    const index = replay.value?.alone?.index;
    const now = state.value;
    void asked.value; // run again when a "Why?" question is asked, because it is collected, too
    if (!isPresenting.value || isPlaying.value || index === undefined || now === null) return undefined;
    const timer = setTimeout(() => keepNow(), MOMENT_MS);
    return () => clearTimeout(timer);
  });
}

/** Adds the shown step to the collected steps. Returns false if no single run is shown. */
export function keepNow() {
  const index = replay.peek()?.alone?.index;
  const now = state.peek();
  if (index === undefined || now === null) return false;
  const shown = shownAt(index, now.k);
  keep(shown);
  withChunk(
    "view",
    ({ viewNow }) => state.peek() === now && keep({ ...shown, view: withoutLanguage(viewNow()) }),
  );
  return true;
}

/**
 * What a lecture's part stores about a stop: its run, address, view, and marked item.
 * @param {Index} index
 * @param {number} k
 * @returns {ShownStep}
 */
export function shownAt(index, k) {
  const subject = selected.peek();
  const isMarked = subject !== null && subject.kind !== "fold";
  return {
    run: shownRun(index, snippet.peek()),
    at: stepAddress(index, k),
    line: index.stops[k]?.line ?? 0,
    ...(isMarked ? { marked: /** @type {Marked} */ (subject) } : {}),
  };
}

/**
 * Removes language and zoom from a view, because the readers of a lecture choose both themselves.
 * @param {string} view
 */
function withoutLanguage(view) {
  return view
    .split("&")
    .filter((part) => !/^(lang|zoom)=/.test(part))
    .join("&");
}
