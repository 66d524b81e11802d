/**
 * Fetches and prepares the recordings of a lecture. Each recording is fetched once, but each part of the
 * lecture gets a run of its own, so that opening a group in one part does not affect the others. Parts are
 * prepared one after the other.
 */

import { ApiError, send } from "../../io/api.js";
import { API } from "../../io/prefix.js";
import { indexFrom } from "../../io/documents.js";
import { isFile } from "../../io/medium.js";
import { loadChunk } from "../../panes/chunks.js";
import { askForCorrectedOf } from "../../session/follow-ups.js";
import { prepared } from "../../session/running.js";
import { layoutsOfWidth } from "../../state/layouts.js";
import { showPins } from "../../state/pins.js";
import { granularity } from "../../state/store.js";
import { placeOf } from "./parts.js";

/** @import {Index} from "../../run/types.d.ts" */
/** @import {RunLayouts} from "../../state/layouts.js" */
/** @import {LecturePart} from "../../io/lectures.js" */

/** @typedef {{index: Index, layouts: RunLayouts}} Ready a run that can be shown */

/** @type {Map<string, Promise<string>>} */
const texts = new Map();
/**
 * The most recent request for a run. Each request begins after the one before it, so layouts are computed
 * one at a time.
 */
let last = /** @type {Promise<unknown>} */ (Promise.resolve());

/**
 * The run for a lecture's part, laid out for a given width.
 * @param {LecturePart} part
 * @param {number} width in px
 * @returns {Promise<Ready>}
 */
export function runOf(part, width) {
  const ready = last.then(() => open(part, width));
  last = ready.catch(() => undefined);
  return ready;
}

/**
 * @param {LecturePart} part
 * @param {number} width
 */
async function open(part, width) {
  const { signal } = new AbortController();
  const text = await textAt(part.document ?? "");
  const read = JSON.parse(text);
  const document = "trace" in read ? read : read.document;
  const index = await indexFrom({ document, text }, signal, () => undefined);
  const view = new URLSearchParams(part.view ?? "");
  const chunk = part.view ? await loadChunk("view") : null;
  granularity.value = placeOf(part.at).by;
  if (chunk !== null) showPins(chunk.pinsIn(view));
  try {
    const ready = await prepared(index, (each) => layoutsOfWidth(each, width, signal), signal);
    if (chunk !== null) await chunk.arrange(ready.layouts, view);
    if (!isFile) askForCorrectedOf(ready.index, part.snippet ?? null);
    return ready;
  } finally {
    if (chunk !== null) showPins({ pinned: [], hidden: [] });
  }
}

/**
 * The JSON text of the recording at an address. A standalone file contains the recording; otherwise the
 * server sends it.
 * @param {string} address
 */
function textAt(address) {
  const known = texts.get(address) ?? (isFile ? inPage(address) : fetched(address));
  texts.set(address, known);
  known.catch(() => texts.delete(address)); // after a failure, the next caller fetches the recording again
  return known;
}

/** @param {string} address */
async function fetched(address) {
  const path = address.slice(API.length);
  return (await send(path.startsWith("/snippets/") ? `${path}?again=false` : path, {})).text();
}

/** @param {string} address */
async function inPage(address) {
  const text = document.getElementById(`document ${address}`)?.textContent ?? null;
  if (text === null) throw new ApiError(404, "unknown_snippet");
  return text;
}
