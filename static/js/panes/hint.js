/** Owns the hint about stepping at the first run in a browser. The first step removes the hint for good. */

import { computed, h, signal, useEffect, useRef } from "../../vendor/ui.js";
import { readStored, writeStored } from "../io/browser-storage.js";
import { hasCharacterKeys, isPresenting } from "../state/preferences.js";
import { mode, played, state } from "../state/store.js";
import { say } from "../state/words.js";

const KEY = "hint";
const SEEN = "seen";

/** Whether this browser has stepped through a run. */
const hasStepped = signal(readStored(KEY) === SEEN);
const isWanted = computed(() => !hasStepped.value && mode.value === "replay" && !isPresenting.value);
const isTouched = matchMedia("(pointer: coarse)").matches;

/**
 * The hint is at the bottom of its column, below the story. The hint covers nothing, and nothing moves when
 * it disappears.
 */
export function Hint() {
  const k = state.value?.k;
  const run = played.value?.index; // changes with another run or granularity
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
