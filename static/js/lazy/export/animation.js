/** Owns animations of several steps: an APNG, which is lossless, or a GIF. */

import { GIFEncoder, UPNG, applyPalette, quantize } from "../../../vendor/animation.js";
import { rastered } from "./raster.js";

/** @import {Frame} from "./frames.js" */

/** The time in ms for which an animation shows each step, and the last step. */
const SHOWN_MS = { each: 1000, last: 3000 };

/**
 * @param {Frame[]} frames at least one; all have the same size
 * @param {"apng" | "gif"} kind
 * @returns {Promise<Blob>}
 */
export async function animated(frames, kind) {
  const { width = 0, height = 0 } = frames[0]?.picture ?? {};
  const pixels = [];
  for (const { picture } of frames) {
    const canvas = await rastered(picture, 1);
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    pixels.push(context.getImageData(0, 0, width, height).data);
  }
  const delays = frames.map((_, number) => (number === frames.length - 1 ? SHOWN_MS.last : SHOWN_MS.each));
  return kind === "gif" ? gif(pixels, width, height, delays) : apng(pixels, width, height, delays);
}

/**
 * @param {Uint8ClampedArray<ArrayBuffer>[]} pixels
 * @param {number} width
 * @param {number} height
 * @param {number[]} delays
 */
function apng(pixels, width, height, delays) {
  const buffers = pixels.map(({ buffer }) => buffer);
  return new Blob([UPNG.encode(buffers, width, height, 0, delays)], { type: "image/apng" });
}

/**
 * @param {Uint8ClampedArray<ArrayBuffer>[]} pixels
 * @param {number} width
 * @param {number} height
 * @param {number[]} delays
 */
function gif(pixels, width, height, delays) {
  const encoder = GIFEncoder();
  for (const [number, data] of pixels.entries()) {
    const palette = quantize(data, 256);
    const delay = delays[number] ?? SHOWN_MS.each;
    encoder.writeFrame(applyPalette(data, palette), width, height, { palette, delay });
  }
  encoder.finish();
  return new Blob([encoder.bytes()], { type: "image/gif" });
}
