/** Types for libraries without types. They cover only the functions that the page uses. */

declare module "upng-js" {
  const UPNG: {
    /** `cnum` 0 keeps every color. */
    encode(
      pixels: ArrayBuffer[],
      width: number,
      height: number,
      cnum: number,
      delays?: number[],
    ): ArrayBuffer;
  };
  export default UPNG;
}

declare module "gifenc" {
  type Palette = number[][];
  export function GIFEncoder(): {
    writeFrame(
      pixels: Uint8Array,
      width: number,
      height: number,
      options: { palette: Palette; delay: number },
    ): void;
    finish(): void;
    bytes(): Uint8Array<ArrayBuffer>;
  };
  export function quantize(pixels: Uint8ClampedArray, most: number): Palette;
  export function applyPalette(pixels: Uint8ClampedArray, palette: Palette): Uint8Array;
}
