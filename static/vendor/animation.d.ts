/** What animation.js exports: an encoder of animated PNG, and one of GIF. */
export { default as UPNG } from "upng-js";
export { GIFEncoder, applyPalette, quantize } from "gifenc";
