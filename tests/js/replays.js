/** Puts recorded runs into the page's state without a DOM, for tests of state/store.js. */

import "./no-browser.js";
import { comparing } from "../../static/js/lazy/compare/comparison.js";
import { ComparisonReplay } from "../../static/js/lazy/compare/comparison-replay.js";
import { finished } from "../../static/js/run/slices.js";
import { RunReplay } from "../../static/js/session/run-replay.js";
import { showReplay } from "../../static/js/state/store.js";

const layoutsOf = (memory) => ({ graph: { value: null }, memory: { value: memory } });

/** Puts a single run into the page's state, at its first stop. */
export function showRun(index, memory = null) {
  showReplay(new RunReplay(index, layoutsOf(memory)));
}

/** Puts a comparison of two runs into the page's state, at its first step. */
export function showBoth(left, right) {
  const side = (index) => ({ index, layouts: layoutsOf(null), snippet: null, title: null });
  const both = finished(comparing(side(left), side(right)));
  showReplay(new ComparisonReplay(both, { replay: null, stop: 0, mode: "edit" }));
}
