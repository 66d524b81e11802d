/** Owns the conversion of pictures into pixels. */

/** @import {Picture} from "./seen.js" */

/**
 * Draws an SVG picture on a canvas, enlarged `times` times relative to its size on the screen.
 * @param {Picture} picture
 * @param {number} times
 * @returns {Promise<HTMLCanvasElement>}
 */
export async function rastered({ svg, width, height }, times) {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width * times;
    canvas.height = height * times;
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/**
 * @param {HTMLCanvasElement} canvas
 * @returns {Promise<Blob>}
 */
export function pngOf(canvas) {
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error("no PNG")) : resolve(blob)), "image/png"),
  );
}
