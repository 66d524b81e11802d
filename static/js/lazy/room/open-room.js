/** Owns the button that opens a room on a link, in the dialog for sharing. */

import { h, useState } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { useOutcome } from "../../panes/forms.js";
import { sharing } from "../../state/store.js";
import { say } from "../../state/words.js";
import { room, teach } from "./room.js";
import { showRoom } from "./show-room.js";

/** The button for the link that the dialog shows. */
export function OpenRoom() {
  const path = sharing.value?.path ?? "";
  const [told, run] = useOutcome();
  const [isBusy, setBusy] = useState(false);
  const [, id] = /^\/s\/([A-Za-z0-9]+)(?:#|$)/.exec(path) ?? [];
  if (id === undefined) return null;
  if (room.value?.link.isGone.value === false) return h("p", null, say("room-at", { code: room.value.code }));
  const open = async () => {
    setBusy(true);
    await run(async () => {
      await teach(id);
      await showRoom();
      sharing.value = null;
    });
    setBusy(false);
  };
  return h(
    "p",
    { class: "sharing-file" },
    button({ disabled: isBusy, onClick: open }, say("room-open")),
    " ",
    h("span", { class: "sharing-quiet" }, told === "" ? say("room-open-hint") : told),
  );
}
