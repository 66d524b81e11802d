/** Owns the button that makes a lecture of the presented steps. */

import { h } from "../../../vendor/ui.js";
import { loadChunk } from "../../panes/chunks.js";
import { Icon } from "../../panes/icons.js";
import { say } from "../../state/words.js";

export function LectureButton() {
  return h(
    "button",
    {
      class: "button icon-only",
      type: "button",
      title: say("lecture-make"),
      "aria-label": say("lecture-make"),
      "aria-haspopup": "dialog",
      onClick: () => void open(),
    },
    h(Icon, { name: "course", size: 16 }),
  );
}

async function open() {
  await (await loadChunk("lecture")).openMaking();
}
