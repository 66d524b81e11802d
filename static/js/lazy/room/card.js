/**
 * Owns the card for joining, over the whole screen: the address to type, the code in huge letters, and both
 * as a QR code.
 */

import { h, signal, useEffect, useRef } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { publicAddress } from "../../io/api.js";
import { Icon } from "../../panes/icons.js";
import { say } from "../../state/words.js";
import { codePicture } from "./api.js";
import { cardIsOpen, hasProjector, room } from "./room.js";

/** @import {Signal} from "../../../vendor/ui.js" */

/** @typedef {Awaited<ReturnType<typeof publicAddress>>} ServerAddress */
/** @type {Signal<ServerAddress | null>} */
const server = signal(null);
/**
 * The command that makes the server reachable from other devices; docs/install.md explains how safe this is.
 */
const COMMAND = 'make run ARGS="--host 0.0.0.0"';

/** The card for joining. If the teacher has a projected window, only that window shows the card. */
export function JoinCard() {
  const shown = room.value;
  const isHere = cardIsOpen.value && shown !== null && (shown.role === "projector" || !hasProjector.value);
  const ref = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => {
    if (!isHere) return ref.current?.close();
    ref.current?.showModal();
    void publicAddress().then(
      (told) => (server.value = told),
      () => undefined, // without an answer from the server, the card shows the address of this page
    );
  }, [isHere]);
  const close = () => shown?.showCard(false);
  return h(
    "dialog",
    {
      class: "join-card",
      ref,
      "aria-labelledby": "join-title",
      onClose: () => cardIsOpen.peek() && isHere && close(),
      onKeyDown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== "Escape" && event.key !== "j") return;
        event.preventDefault();
        close();
      },
    },
    isHere && shown !== null
      ? h(Card, { code: shown.code, count: shown.link.state.value.members, close })
      : null,
  );
}

/** @param {{code: string, count: number, close: () => void}} props */
function Card({ code, count, close }) {
  const told = server.value;
  const address = told === null ? location.origin : told.address;
  return [
    button(
      { key: "close", class: "button icon-only", "aria-label": say("close"), onClick: close },
      h(Icon, { name: "cross" }),
    ),
    h("h2", { key: "title", id: "join-title" }, say("room-join")),
    address === null
      ? h(Unreachable, { key: "address", nearby: told?.nearby ?? [], listens: told?.listens ?? false })
      : h("p", { key: "address", class: "join-address" }, `${address.replace(/^https?:\/\//, "")}/r/${code}`),
    h(
      "p",
      { key: "code", class: "join-code" },
      h("b", { class: "visually-hidden" }, code.split("").join(" ")),
      code.split("").map((letter, number) => h("span", { key: number, "aria-hidden": "true" }, letter)),
    ),
    address === null || told === null
      ? null
      : h("img", { key: "picture", src: codePicture(code), alt: say("room-picture", { code }) }),
    h("p", { key: "count", class: "join-count", role: "status" }, say("room-members", { count })),
  ];
}

/**
 * The explanation if the server's address works only on this machine, so that no phone could join.
 * @param {{nearby: string[], listens: boolean}} props
 */
function Unreachable({ nearby: [first], listens }) {
  if (first === undefined) return h("p", { class: "join-unreachable" }, say("room-no-network"));
  return h(
    "div",
    { class: "join-unreachable" },
    h("p", null, say(listens ? "room-open-nearby" : "room-listen-nearby")),
    listens ? null : h("p", null, h("code", null, COMMAND)),
    h("p", null, h("code", null, first)),
  );
}
