/** Owns the playback controls: first, previous, play, next, last, granularity and speed. */

import { h } from "../../../vendor/ui.js";
import { advance, isAsking, retreat } from "../../state/prediction.js";
import { goTo, isPlaying, step, stepCount } from "../../state/store.js";
import { say } from "../../state/words.js";
import { Icon } from "../icons.js";
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
    h(
      "button",
      {
        class: "button play",
        type: "button",
        "aria-label": say(isPlaying.value ? "pause" : "play"),
        title: say(isPlaying.value ? "pause" : "play"),
        onClick: () => (isPlaying.value = !isPlaying.value),
      },
      h(Icon, { name: isPlaying.value ? "pause" : "play", size: 22 }),
    ),
    move("next", advance, isLast),
    move("last", () => goTo(last), isLast),
  );
}

/**
 * A button without a target keeps the focus.
 * @param {string} name
 * @param {() => void} act
 * @param {boolean} isOver
 */
function move(name, act, isOver) {
  return h(
    "button",
    {
      class: `button ${name}`,
      type: "button",
      "aria-label": say(name),
      title: say(name),
      "aria-disabled": isOver ? "true" : undefined,
      onClick: act,
    },
    h(Icon, { name, size: 20 }),
  );
}
