/** Loads the chunk that shows findings, before the first run with findings is shown. */

import { signal } from "../../vendor/ui.js";
import { loadChunk } from "./chunks.js";

/** @import {Signal} from "../../vendor/ui.js" */
/** @import {FindingChunk} from "./chunks.js" */

/** @type {Signal<FindingChunk | null>} */
export const cards = signal(null);

/** Load the chunk once. */
export async function loadCards() {
  cards.value = await loadChunk("finding");
}
