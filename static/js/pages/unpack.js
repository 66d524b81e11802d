/*
 * Unpacks a standalone file. The file contains style sheet, messages and script as one gzip stream. The
 * style sheet and the script become inline elements of the page. The file's Content-Security-Policy contains
 * the hashes of both and allows nothing else.
 */

/** @typedef {{style: string, script: string, words: Record<string, string>}} Packed */

/** The alphabet of RFC 1924, except for two characters that have a meaning in HTML. */
const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%.()*+-;,=>?@^_`{|}~";

/**
 * Decodes base 85: five characters stand for four bytes. An incomplete group of characters at the end stands
 * for fewer bytes.
 * @param {string} text
 */
function bytesIn(text) {
  const missing = (5 - (text.length % 5)) % 5;
  const whole = text + "~".repeat(missing);
  const values = new Map([...LETTERS].map((letter, value) => [letter.charCodeAt(0), value]));
  const bytes = new DataView(new ArrayBuffer((whole.length / 5) * 4));
  for (let at = 0; at < whole.length; at += 5) {
    let four = 0;
    for (let place = at; place < at + 5; place += 1)
      four = 85 * four + (values.get(whole.charCodeAt(place)) ?? 0);
    bytes.setUint32((at / 5) * 4, four);
  }
  return new Uint8Array(bytes.buffer, 0, bytes.byteLength - missing);
}

/** @returns {Promise<Packed>} */
async function unpacked() {
  const bytes = bytesIn(document.getElementById("packed")?.textContent ?? "");
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/**
 * @param {string} tag
 * @param {string} text
 * @param {Record<string, string>} [named]
 */
function write(tag, text, named = {}) {
  document.head.append(Object.assign(document.createElement(tag), named, { textContent: text }));
}

void unpacked().then(({ style, script, words }) => {
  write("style", style);
  write("script", JSON.stringify(words), { type: "application/json", id: "words" });
  write("script", script);
});
