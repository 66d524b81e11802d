/** Owns the drawing of the first image of a large tensor, next to its summary. */

import { perRun } from "../run/per-run.js";
import { el } from "./svg.js";

/** @import {Image} from "../run/trace.d.ts" */
/** @import {Box} from "../run/types.d.ts" */

/** The number of bytes of the two headers before the pixels of a BMP file: file header and image header. */
const HEAD = { file: 14, info: 40 };
/** The grey level that stands for a NaN or infinity in a recording, and the colour in which it is drawn. */
const ODD = { level: 255, colour: [190, 30, 30] };

/**
 * @param {Image} image
 * @param {Box} box
 * @param {string} title
 */
export function imageShape(image, { x, y, width, height }, title) {
  return el(
    "g",
    { key: "image", class: "summary-image" },
    el("title", {}, title),
    el("image", { x, y, width, height, href: bitmap(image) }),
  );
}

/**
 * Converts an image to a BMP file with 24 bits per pixel in a data URL, so that it is drawn as a single
 * element. The rows may have different lengths, because a recording is untrusted.
 */
const bitmap = perRun((/** @type {Image} */ { channels, rows }) => {
  const pixels = rows.map((row) => (row.match(/../g) ?? []).map((level) => parseInt(level, 16)));
  const width = Math.ceil(Math.max(0, ...pixels.map((row) => row.length)) / channels);
  const line = Math.ceil((3 * width) / 4) * 4;
  const size = HEAD.file + HEAD.info + line * rows.length;
  const bytes = new Uint8Array(size);
  const head = new DataView(bytes.buffer);
  head.setUint16(0, 0x424d);
  head.setUint32(2, size, true);
  head.setUint32(10, HEAD.file + HEAD.info, true);
  head.setUint32(14, HEAD.info, true);
  head.setInt32(18, width, true);
  head.setInt32(22, -rows.length, true); // a negative height puts the first row at the top
  head.setUint16(26, 1, true);
  head.setUint16(28, 24, true);
  for (const [number, row] of pixels.entries())
    for (let place = 0; place < width; place += 1)
      bytes.set(
        colour(row.slice(channels * place, channels * (place + 1))).reverse(),
        HEAD.file + HEAD.info + number * line + 3 * place,
      );
  return `data:image/bmp;base64,${btoa(String.fromCharCode(...bytes))}`;
});

/**
 * The red, green and blue values of a pixel, from 0 to 255.
 * @param {number[]} levels
 */
function colour(levels) {
  if (levels.includes(ODD.level)) return [...ODD.colour];
  const [red = 0, green = red, blue = green] = levels.map((level) => Math.round((level * 255) / 254));
  return [red, green, blue];
}
