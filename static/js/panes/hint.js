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

/** Drawn over the foot of its column, and pointers go through it: nothing moves as it comes or goes. */
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
  return h("p", { class: "hint-to-step" }, isTouched ? say("hint-touch") : keys());
}

/** Keys that are characters only where they are shortcuts. */
function keys() {
  const all = [
    ["→", "hint-step"],
    ["⇧→", "hint-line"],
    ["w", "hint-warning"],
    ["?", "hint-help"],
  ];
  return all
    .slice(0, hasCharacterKeys.value ? 4 : 2)
    .map(([key = "", id = ""]) => h("span", { key: id }, h("kbd", null, key), " ", say(id)));
}
