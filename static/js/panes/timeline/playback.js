/** Owns the playback controls: first, previous, play, next, last, granularity and speed. */

import { h } from "../../../vendor/ui.js";
import { iconButton } from "../buttons.js";
import { advance, isAsking, retreat } from "../../state/prediction.js";
import { goTo, isPlaying, step, stepCount } from "../../state/store.js";
import { say } from "../../state/words.js";
import { SpeedButton, GranularitySwitch } from "./granularity-switch.js";

export function Playback() {
  return h(
    "div",
    { class: "playback" },
    h(Transport, null),
    h("div", { class: "step-controls" }, h(GranularitySwitch, null), h(SpeedButton, null)),
  );
}

/** The buttons that step and play. */
export function Transport() {
  const last = stepCount.value - 1;
  const [isFirst, isLast] = [step.value === 0, step.value === last];
  return h(
    "div",
    { class: "transport" },
    move("first", () => goTo(0), isFirst),
    move("previous", retreat, isFirst && !isAsking.value),
    iconButton(isPlaying.value ? "pause" : "play", say(isPlaying.value ? "pause" : "play"), {
      size: 22,
      class: "button play",
      onClick: () => (isPlaying.value = !isPlaying.value),
    }),
    move("next", advance, isLast),
    move("last", () => goTo(last), isLast),
  );
}

/**
 * A button that goes to another step. If there is no such step, the button keeps the focus.
 * @param {string} name
 * @param {() => void} act
 * @param {boolean} isOver
 */
function move(name, act, isOver) {
  return iconButton(name, say(name), {
    size: 20,
    class: `button ${name}`,
    "aria-disabled": isOver ? "true" : undefined,
    onClick: act,
  });
}
