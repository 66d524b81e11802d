/**
 * Owns the hint that explains the keys for stepping. The hint is shown with the first run in a browser, and
 * never again after the visitor has made a step.
 */

import { computed, h, signal, useEffect, useRef } from "../../vendor/ui.js";
import { readStored, writeStored } from "../io/browser-storage.js";
import { hasCharacterKeys, isPresenting } from "../state/preferences.js";
import { mode, played, state } from "../state/store.js";
import { say } from "../state/words.js";

const KEY = "hint";
const SEEN = "seen";

/** Whether a visitor with this browser has ever made a step in a run. */
const hasStepped = signal(readStored(KEY) === SEEN);
const isWanted = computed(() => !hasStepped.value && mode.value === "replay" && !isPresenting.value);
const isTouched = matchMedia("(pointer: coarse)").matches;

/**
 * The hint, below the story at the bottom of its column. The hint covers nothing, and the layout does not
 * move when the hint disappears.
 */
export function Hint() {
  const k = state.value?.k;
  const run = played.value?.index; // the index is another object for another run or granularity
  const before = useRef({ run, k });
  useEffect(() => {
    if (isWanted.peek() && run === before.current.run && k !== before.current.k) {
      hasStepped.value = true;
      writeStored(KEY, SEEN);
    }
    before.current = { run, k };
  }, [run, k]);
  if (!isWanted.value || k === undefined) return null;
  return h("p", { class: "hint-to-step" }, isTouched ? say("hint-touch") : keys(run?.findings.length ?? 0));
}

/**
 * The keys to show. Character keys are shown only if they are enabled, and the key of warnings only if there
 * are warnings.
 * @param {number} findings
 */
function keys(findings) {
  const all = [
    ["→", "hint-step"],
    ["⇧→", "hint-line"],
    ...(hasCharacterKeys.value && findings > 0 ? [["w", "hint-warning"]] : []),
    ...(hasCharacterKeys.value ? [["?", "hint-help"]] : []),
  ];
  return all.map(([key = "", id = ""]) => h("span", { key: id }, h("kbd", null, key), " ", say(id)));
}
