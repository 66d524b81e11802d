/**
 * Owns the loading of the stage, which draws both pictures. The stage loads with the layout engine, after
 * the page, because only a run needs the stage.
 */

/** @type {typeof import("../stage/index.js") | null} */
let stage = null;

/** Loads the stage. Call this function before a run is shown. */
export async function loadDrawing() {
  stage ??= await import("../stage/index.js");
}

/** The stage, which is loaded before the first run is shown. */
export function drawing() {
  if (stage === null) throw new Error("What draws pictures is not loaded.");
  return stage;
}
