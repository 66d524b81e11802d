/**
 * Owns the loading of what draws both pictures. It comes with the layout engine, after the page: nothing
 * needs it before a run.
 */

/** @type {typeof import("../stage/index.js") | null} */
let stage = null;

/** Load what draws; a run is shown once it is there. */
export async function loadDrawing() {
  stage ??= await import("../stage/index.js");
}

/** What draws pictures: there before the first run that is shown. */
export function drawing() {
  if (stage === null) throw new Error("What draws pictures is not loaded.");
  return stage;
}
