/** Owns the encoding of source code in an address: UTF-8, compressed with raw deflate, as base64url. */

/**
 * The packed code of an address cannot be read. `reason` is the end of the id of the message that explains
 * why.
 */
export class PackedError extends Error {
  /** @param {"unsupported" | "broken" | "large" | "not-text" | "nul" | "empty"} reason */
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}

const FORMAT = "deflate-raw";

/**
 * The number of bytes that are unpacked at a time. Deflate produces at most 1,032 bytes from one byte, so
 * little is unpacked beyond the limit.
 */
const PIECE = 256;

/**
 * @param {string} source
 * @returns {Promise<string>}
 * @throws {PackedError}
 */
export async function packed(source) {
  const packing = streamOf(() => new CompressionStream(FORMAT));
  const bytes = new TextEncoder().encode(withLineFeeds(source));
  const deflated = new Uint8Array(await new Response(piecesOf(bytes).pipeThrough(packing)).arrayBuffer());
  let binary = "";
  for (const byte of deflated) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/**
 * The source. Unpacking stops as soon as the limit is exceeded.
 * @param {string} code
 * @param {number} most the limit, in bytes of the source
 * @returns {Promise<string>}
 * @throws {PackedError}
 */
export async function unpacked(code, most) {
  const unpacking = streamOf(() => new DecompressionStream(FORMAT));
  if (code.length > 2 * most) throw new PackedError("large");
  const source = textOf(await atMost(piecesOf(bytesOf(code)).pipeThrough(unpacking), most));
  if (source.includes("\0")) throw new PackedError("nul");
  if (source.trim() === "") throw new PackedError("empty");
  return withLineFeeds(source);
}

/**
 * Creates a compression stream. Throws PackedError if the browser does not support the class or the format.
 * @template T
 * @param {() => T} make
 */
function streamOf(make) {
  try {
    return make();
  } catch {
    throw new PackedError("unsupported");
  }
}

/** @param {string} code */
function bytesOf(code) {
  if (!/^[\w-]+$/.test(code) || code.length % 4 === 1) throw new PackedError("broken");
  const binary = atob(code.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}

/**
 * A stream of the given bytes in small pieces, each read only on request, so that unpacking can stop early.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {ReadableStream<Uint8Array<ArrayBuffer>>}
 */
function piecesOf(bytes) {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + PIECE));
      at += PIECE;
    },
  });
}

/**
 * @param {ReadableStream<Uint8Array>} stream
 * @param {number} most
 */
async function atMost(stream, most) {
  const reader = stream.getReader();
  /** @type {Uint8Array[]} */
  const pieces = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new PackedError("broken");
    });
    if (done) return pieces;
    length += value.length;
    if (length > most) {
      reader.cancel().catch(() => undefined); // the unpacked text is not needed
      throw new PackedError("large");
    }
    pieces.push(value);
  }
}

/** @param {Uint8Array[]} pieces */
function textOf(pieces) {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    return pieces.map((piece) => decoder.decode(piece, { stream: true })).join("") + decoder.decode();
  } catch {
    throw new PackedError("not-text");
  }
}

/**
 * Replaces all line ends by line feeds, as the editor does. Otherwise the editor would report the difference
 * as an edit.
 * @param {string} text
 */
function withLineFeeds(text) {
  return text.replaceAll(/\r\n?/g, "\n");
}
