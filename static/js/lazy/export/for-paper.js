/**
 * Owns the export of pictures for papers. The server draws the picture of a step with the same layout as the
 * page.
 */

import { h } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { ApiError, pictureForPaper, shownRun } from "../../io/api.js";
import { runAgainIfGone } from "../../session/running.js";
import { asked } from "../../state/asked.js";
import { pageWidth } from "../../state/room.js";
import { granularity, replay, snippet, step } from "../../state/store.js";
import { language, say, sayRefusal } from "../../state/words.js";
import { save } from "./save.js";

/** @import {Which} from "./seen.js" */
/** @import {PaperFormat} from "../../io/api.js" */

const FORMATS = /** @type {const} */ (["pdf", "svg", "png", "dot"]);

/** @param {{which: Which, isBusy: boolean, act: (make: () => Promise<string>) => void}} props */
export function ForPaper({ which, isBusy, act }) {
  if (replay.value?.alone == null) return null;
  return h(
    "section",
    { "aria-labelledby": "exporting-paper" },
    h("h3", { id: "exporting-paper" }, say("export-paper", { step: step.value + 1 })),
    h("p", { class: "exporting-quiet" }, say("export-paper-hint")),
    h(
      "div",
      { class: "exporting-acts" },
      FORMATS.map((format) =>
        button(
          {
            key: format,
            "aria-disabled": isBusy,
            "aria-label": say("export-paper-as", { format: format.toUpperCase() }),
            onClick: () => isBusy || act(() => drawn(which, format)),
          },
          format.toUpperCase(),
        ),
      ),
    ),
  );
}

/**
 * Requests the picture from the server and saves it as a file.
 * @param {Which} which
 * @param {PaperFormat} format
 * @returns {Promise<string>} a message about the result
 */
async function drawn(which, format) {
  const alone = replay.peek()?.alone;
  if (alone == null) return say("export-nothing");
  const { index, layouts } = alone;
  const question = asked.peek();
  const run = shownRun(index, snippet.peek());
  const wanted = {
    ...{ picture: which, format, step: String(step.peek() + 1), by: granularity.peek() },
    ...{ open: [...layouts.graph.peek().open], open_storages: [...layouts.memory.peek().open] },
    ...(question === null ? {} : { why: question.written }),
    ...{ language: language.peek(), width: Math.min(8000, Math.max(320, pageWidth.peek())) },
  };
  try {
    const { name, content } = await pictureForPaper(run, wanted);
    save(content, name);
    return say("export-saved", { name });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return runAgainIfGone(error) ? say("recording-gone") : sayRefusal(error);
  }
}
