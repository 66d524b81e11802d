/** Owns the button that summarizes the facts about a run. A click opens the dialog with all facts. */

import { h } from "../../../vendor/ui.js";
import { button } from "../buttons.js";
import { boot } from "../../io/boot.js";
import { aboutIsOpen, replay } from "../../state/store.js";
import { say } from "../../state/words.js";
import { Icon } from "../icons.js";

export function AboutButton() {
  const header = replay.value?.runs[0]?.header;
  const torch = (header?.torch ?? boot.torch).split("+")[0];
  const device = (header?.device ?? "cpu").toUpperCase();
  const text = `torch ${torch} · ${device}`;
  return button(
    {
      class: "button about-button",
      title: say("about"),
      "aria-haspopup": "dialog",
      "aria-label": `${say("about")}: ${text}`,
      onClick: () => (aboutIsOpen.value = true),
    },
    h(Icon, { name: "info", size: 17 }),
    h("span", { class: "versions" }, text),
  );
}
