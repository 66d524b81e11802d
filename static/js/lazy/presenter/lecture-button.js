/** Owns the button that makes a lecture from the presented steps. */

import { iconButton } from "../../panes/buttons.js";
import { loadChunk } from "../../panes/chunks.js";
import { say } from "../../state/words.js";

export function LectureButton() {
  return iconButton("course", say("lecture-make"), { "aria-haspopup": "dialog", onClick: () => void open() });
}

async function open() {
  await (await loadChunk("lecture")).openMaking();
}
