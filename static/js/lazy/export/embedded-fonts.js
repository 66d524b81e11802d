/** Owns the page's two fonts as text of a style sheet, for a standalone picture. */

const FONTS = [
  { family: "Inter", url: new URL("../../../vendor/fonts/inter.woff2", import.meta.url) },
  { family: "JetBrains Mono", url: new URL("../../../vendor/fonts/jetbrains-mono.woff2", import.meta.url) },
];

/** @type {Promise<string> | null} */
let made = null;

/**
 * The `@font-face` rules with both fonts as data URLs. The fonts have only Latin letters. For other letters,
 * the exported shapes also name fonts that the reader's system may have.
 * @returns {Promise<string>}
 */
export function embeddedFonts() {
  made ??= Promise.all(FONTS.map(rule)).then((rules) => rules.join("\n"));
  made.catch(() => (made = null)); // after a failure, the next call fetches the fonts again
  return made;
}

/** @param {{family: string, url: URL}} font */
async function rule({ family, url }) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url.pathname}: ${answer.status}`);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return `@font-face { font-family: "${family}"; src: url(data:font/woff2;base64,${btoa(text)}) format("woff2"); font-weight: 100 900; }`;
}
