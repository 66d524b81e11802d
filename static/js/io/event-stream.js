/** Owns the parser of an event stream (text/event-stream), which takes pieces of text and yields events. */

/**
 * Yields the events of a stream. Text after the last empty line is dropped, because the stream ended inside
 * an event.
 * @param {AsyncIterable<string>} pieces
 * @returns {AsyncGenerator<{event: string, text: string}>}
 */
export async function* eventsOf(pieces) {
  let event = "message";
  /** @type {string[]} */
  let lines = [];
  for await (const line of linesOf(pieces)) {
    if (line === "") {
      if (lines.length > 0) yield { event, text: lines.join("\n") };
      [event, lines] = ["message", []];
    }
    const [, field, value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []; // for a comment, `field` is ""
    if (field === "event") event = value;
    if (field === "data") lines.push(value);
  }
}

/**
 * Yields the lines of a text that arrives in pieces, without their line ends. Each piece is scanned only
 * once, because a document is one line of several megabytes in many pieces.
 * @param {AsyncIterable<string>} pieces
 */
export async function* linesOf(pieces) {
  /** @type {string[]} */
  let begun = [];
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf("\n"); end >= 0; end = piece.indexOf("\n", start)) {
      begun.push(piece.slice(start, end));
      yield begun.join("").replace(/\r$/, "");
      begun = [];
      start = end + 1;
    }
    begun.push(piece.slice(start));
  }
}

/**
 * Yields the text of a response in pieces, as they arrive.
 * @param {ReadableStream<Uint8Array>} body
 */
export async function* piecesOf(body) {
  const reader = body
    .pipeThrough(/** @type {ReadableWritablePair<string, any>} */ (new TextDecoderStream()))
    .getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel();
  }
}
