/** Loads the chunk with the panes of a run, before the first run is shown. */

import { signal } from "../../vendor/ui.js";
import { loadChunk } from "./chunks.js";

/** @import {Signal} from "../../vendor/ui.js" */
/** @import {RunChunk} from "./chunks.js" */

/** @type {Signal<RunChunk | null>} */
export const runPanes = signal(null);

/** Load the panes once. */
export async function loadRunPanes() {
  const loaded = await loadChunk("run");
  if (runPanes.peek() !== null) return;
  loaded.keepWithRun();
  runPanes.value = loaded;
}
