/** Owns what shows findings, once it is loaded: before a run that has some is shown. */

import { signal } from "../../vendor/ui.js";
import { loadChunk } from "./chunks.js";

/** @import {Signal} from "../../vendor/ui.js" */
/** @import {FindingChunk} from "./chunks.js" */

/** @type {Signal<FindingChunk | null>} */
export const cards = signal(null);

/** Load it once. */
export async function loadCards() {
  cards.value = await loadChunk("finding");
}
