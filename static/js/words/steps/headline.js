/**
 * Owns what a program without a title is called, in its first meaningful words. `app/web/links/headline.py`
 * chooses the same. Pure.
 */

/**
 * Characters of a headline; the lines that are searched; and the characters of a line that are read, because
 * its author chooses its length and the patterns backtrack.
 */
const MOST = { letters: 40, lines: 400, ofLine: 200 };
const COMMENT = /^\s*#(?!!|\s*(?:type:|noqa|fmt:|ruff:|pylint:|-\*-))[\s#%=*-]*(.*)$/u;
const DOCSTRING = /^[rRuU]?("""|'''|"|')(.*)$/u;
const NAMED = /^class\s+([\p{L}\p{N}_]+)/u;
const PASSED = /^(?:import|from)\b|^torch\.manual_seed\b|^[\s)\]}@]|^(?:def|async|if|for|with|try|while)\b/u;
const WORD = /[\p{L}]{2}|[\u3400-\u9fff]/u;

/**
 * The docstring, the first comment, the last class, a finding, else the first statement that is no import.
 * @param {string} source
 * @param {string} finding its title; empty for none
 */
export function headline(source, finding) {
  const lines = source
    .split("\n", MOST.lines)
    .map((line) => [...line.slice(0, 2 * MOST.ofLine)].slice(0, MOST.ofLine).join(""));
  const code = lines.filter((line) => line.trim() !== "" && !line.trimStart().startsWith("#"));
  const found = (/** @type {string[]} */ among, /** @type {RegExp} */ pattern) =>
    among.flatMap((line) => pattern.exec(line)?.[1] ?? []);
  const plain = code.filter((line) => !PASSED.test(line)).map((line) => line.split("  #")[0] ?? "");
  const words = [
    ...code.slice(0, 1).flatMap(docstring),
    ...found(lines, COMMENT),
    ...found(lines, NAMED).slice(-1),
    finding,
    ...plain.slice(0, 1),
  ].map((text) => text.trim());
  const text = words.find((each) => WORD.test(each)) ?? plain[0]?.trim() ?? "";
  const letters = [...text];
  return letters.length <= MOST.letters
    ? text
    : `${letters
        .slice(0, MOST.letters - 1)
        .join("")
        .trimEnd()}…`;
}

/** @param {string} line */
function docstring(line) {
  const [, quotes = "", text] = DOCSTRING.exec(line) ?? [];
  if (text === undefined) return [];
  const words = text.trim();
  return [words.endsWith(quotes) ? words.slice(0, words.length - quotes.length) : words];
}
