/**
 * Owns the dialog about a room. The dialog says what the room stores about its members, and lets the teacher
 * add a second device, take over the room, or end the room.
 */

import { h, signal, useState } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { field, useOutcome } from "../../panes/forms.js";
import { Sheet } from "../../panes/modal.js";
import { ownLinks } from "../../session/links.js";
import { say } from "../../state/words.js";
import { claimDevice, deviceCode, takeOver } from "./api.js";
import { heldRoom, hold } from "./held.js";
import { endRoom, room } from "./room.js";

/** @import {Room} from "./room.js" */

export const sheetIsOpen = signal(false);

export function RoomSheet() {
  const shown = room.value;
  const isOpen = sheetIsOpen.value && shown !== null;
  const close = () => (sheetIsOpen.value = false);
  return h(
    Sheet,
    { name: "room", title: say("room-at", { code: shown?.code ?? "" }), isOpen, close },
    isOpen ? h(shown.role === "member" ? ForMember : ForTeacher, { shown }) : null,
  );
}

/** @param {{shown: Room}} props */
function ForMember({ shown }) {
  return [
    h("p", { key: "about" }, say("room-known")),
    h("h3", { key: "title" }, say("room-teach-here")),
    h(Claim, { key: "claim", shown }),
    h(TakeOver, { key: "over", shown }),
  ];
}

/** @param {{shown: Room}} props */
function ForTeacher({ shown }) {
  const [isSure, setSure] = useState(false);
  const [told, run] = useOutcome();
  const end = () =>
    run(async () => {
      if (!isSure) return setSure(true);
      await endRoom();
      sheetIsOpen.value = false;
    });
  return [
    h("p", { key: "about" }, say("room-known-teacher")),
    h("h3", { key: "device" }, say("room-device")),
    h(DeviceCode, { key: "code", shown }),
    h(TakeOver, { key: "over", shown }),
    h("h3", { key: "end" }, say("room-end")),
    h("p", { key: "means" }, say("room-end-means")),
    button(
      { key: "do", class: `button${isSure ? " danger" : ""}`, onClick: end },
      say(isSure ? "room-end-sure" : "room-end"),
    ),
    h("p", { key: "told", role: "status" }, told),
  ];
}

/** @param {{shown: Room}} props */
function DeviceCode({ shown }) {
  const [given, setGiven] = useState(/** @type {{code: string, minutes: number} | null} */ (null));
  const [told, run] = useOutcome();
  const ask = () =>
    run(async () => {
      const { one_time_code, seconds } = await deviceCode(shown.code, shown.credentials);
      setGiven({ code: one_time_code, minutes: Math.max(1, Math.round(seconds / 60)) });
    });
  return [
    h("p", { key: "means" }, say("room-device-means", { code: shown.code })),
    given === null
      ? button({ key: "ask", onClick: ask }, say("room-device-code"))
      : h(
          "p",
          { key: "given", role: "status" },
          h("b", { class: "room-once" }, given.code),
          " ",
          say("room-device-valid", { count: given.minutes }),
        ),
    h("p", { key: "told", role: "status" }, told),
  ];
}

/**
 * The form with which the teacher adds another device, by typing a code that the first device shows.
 * @param {{shown: Room}} props
 */
function Claim({ shown }) {
  const [code, setCode] = useState("");
  const [told, run] = useOutcome();
  const send = (/** @type {Event} */ event) => {
    event.preventDefault();
    void run(async () => {
      hold(shown.code, await claimDevice(shown.code, code.trim()), null);
      location.reload();
    });
  };
  return h(
    "form",
    { class: "room-claim", onSubmit: send },
    field(say("room-once-code"), setCode, { value: code, maxLength: 40, autocomplete: "one-time-code" }),
    h("button", { class: "button primary", type: "submit", disabled: code.trim() === "" }, say("room-claim")),
    h("p", { role: "status" }, told),
  );
}

/**
 * The button that takes over a room. Only the browser that created the room's link has it; all other devices
 * of the teacher then lose access.
 * @param {{shown: Room}} props
 */
function TakeOver({ shown }) {
  const [told, run] = useOutcome();
  const link = heldRoom(shown.code)?.link ?? shown.link.state.value.opened_on ?? null;
  const token = ownLinks.value.find(({ id }) => id === link)?.token;
  if (token === undefined) return null;
  const take = () =>
    run(async () => {
      hold(shown.code, await takeOver(shown.code, token), link);
      location.reload();
    });
  return [
    h("p", { key: "means" }, say("room-take-means")),
    button({ key: "take", onClick: take }, say("room-take")),
    h("p", { key: "told", role: "status" }, told),
  ];
}
