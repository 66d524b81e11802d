/** The entry point of the chunk for the embedded player, which runs in a frame of another page. */

export { Player } from "./embedded-player.js";
export { listen } from "./frame-keys.js";
export { openRecording } from "./opened-recording.js";
export { listenToPageAround, tellHeight } from "./page-around.js";
