/**
 * Owns the loading of the stage, which draws both pictures. It loads with the layout engine, after the page,
 * because nothing needs it before a run.
 */

/** @type {typeof import("../stage/index.js") | null} */
let stage = null;

/** Loads the stage. It must be loaded before a run is shown. */
export async function loadDrawing() {
  stage ??= await import("../stage/index.js");
}

/** The stage. It is loaded before the first run is shown. */
export function drawing() {
  if (stage === null) throw new Error("What draws pictures is not loaded.");
  return stage;
}
