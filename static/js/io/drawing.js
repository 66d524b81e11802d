/**
 * Loads `stage/`, the code that draws both pictures. The code is loaded after the page, together with the
 * layout engine, because only a run needs pictures.
 */

/** @type {typeof import("../stage/index.js") | null} */
let stage = null;

/** Loads the code that draws pictures. Call this function before a run is shown. */
export async function loadDrawing() {
  stage ??= await import("../stage/index.js");
}

/** The stage, which is loaded before the first run is shown. */
export function drawing() {
  if (stage === null) throw new Error("What draws pictures is not loaded.");
  return stage;
}
