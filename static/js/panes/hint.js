/** Owns the hint at the first run of a browser: how to step. It is gone with the first step, for good. */

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

/** At the foot of its column, below the story: it covers nothing, and nothing moves as it goes. */
export function Hint() {
  const k = state.value?.k;
  const run = played.value?.index; // another one, too, where its steps are counted otherwise
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
 * Keys that are characters only where they are shortcuts, and the one of warnings only where there are any.
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
