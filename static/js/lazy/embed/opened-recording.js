/**
 * Fetches the recording of an embedded link. If the recording cannot be read, the frame shows none, because
 * a frame never runs code.
 */

import { batch } from "../../../vendor/ui.js";
import { ApiError, storedSnippet } from "../../io/api.js";
import { indexFrom } from "../../io/documents.js";
import { openingStop } from "../../io/step-sentences.js";
import { prepared } from "../../session/running.js";
import { RunReplay } from "../../session/run-replay.js";
import { layoutsInFrame } from "../../state/layouts.js";
import { granularity, heading, mode, showReplay, snippet, source } from "../../state/store.js";
import { say, sayRefusal } from "../../state/words.js";
import { chosen, failure } from "./embedded-player.js";

/** @import {Embed} from "../../io/boot.js" */

/**
 * Shows the recording of a link at the requested step.
 * @param {string} id
 * @param {Embed} asked
 */
export async function openRecording(id, { step, by, picture }) {
  heading.value = { id, title: "", author: "", notes: {}, parent: null };
  const { signal } = new AbortController();
  try {
    const stored = await storedSnippet(id, signal, { again: false });
    const { title = "", author = "", parent = null } = stored;
    granularity.value = by;
    const index = await indexFrom(stored, signal, () => {});
    const ready = await prepared(index, layoutsInFrame, signal);
    batch(() => {
      heading.value = { id, title, author, notes: {}, parent };
      source.value = stored.source;
      snippet.value = id;
      mode.value = "replay";
      chosen.value = picture;
      showReplay(
        new RunReplay(ready.index, ready.layouts),
        step === null ? openingStop(ready.index) : step - 1,
      );
    });
  } catch (error) {
    failure.value = error instanceof ApiError ? refusal(error) : say("embed-failed");
    if (!(error instanceof ApiError)) console.error(error);
  }
}

/** @param {ApiError} error */
function refusal(error) {
  return ["unknown_snippet", "held_back"].includes(error.kind) ? say("error-embed_gone") : sayRefusal(error);
}
