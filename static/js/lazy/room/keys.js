/** Owns the keyboard shortcuts in a room, for students and teachers. */

import { h } from "../../../vendor/ui.js";
import { isCharacter, written } from "../../input/keymap.js";
import { hasCharacterKeys } from "../../state/preferences.js";
import { say } from "../../state/words.js";
import { sayLost } from "./lost.js";
import { POLL_KEYS } from "./poll/polls.js";
import { cardIsOpen, room } from "./room.js";
import { VARIANTS_KEYS } from "./variants-button.js";

/** @import {Room} from "./room.js" */

/** @type {Record<string, {keys: string[], roles: string[], act: (room: Room) => unknown}>} */
const KEYS = {
  "key-follow": { keys: ["f"], roles: ["member", "teacher"], act: ({ inStep }) => inStep.follow() },
  "key-lost": { keys: ["s"], roles: ["member"], act: sayLost },
  "key-card": {
    keys: ["j"],
    roles: ["teacher", "projector"],
    act: (shown) => shown.showCard(!cardIsOpen.peek()),
  },
  ...POLL_KEYS,
  ...VARIANTS_KEYS,
};

function keysNow() {
  const shown = room.value;
  return shown === null ? [] : Object.entries(KEYS).filter(([, { roles }]) => roles.includes(shown.role));
}

/** Adds the listener for these shortcuts, which is never removed. */
export function listenToKeys() {
  window.addEventListener("keydown", (event) => {
    const isOther = event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey;
    if (isOther || isTyping(event) || document.querySelector("dialog[open]") !== null) return;
    if (isCharacter(event.key) && !hasCharacterKeys.peek()) return;
    const shown = room.peek();
    const found = keysNow().find(([, { keys }]) => keys.includes(event.key));
    if (shown === null || found === undefined || shown.link.isGone.peek()) return;
    event.preventDefault();
    found[1].act(shown);
  });
}

/** @param {KeyboardEvent} event */
function isTyping(event) {
  const target = event.composedPath()[0];
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("select, textarea, input:not([type=range])"))
  );
}

/** The list of the room's keys in the help. */
export function RoomKeys() {
  return h(
    "dl",
    { class: "keys" },
    keysNow().map(([id, { keys }]) => [
      h(
        "dt",
        { key: id },
        keys.map((key) => h("kbd", { key, "data-key": key }, written(key))),
      ),
      h("dd", { key: `${id}=` }, say(id)),
    ]),
  );
}
