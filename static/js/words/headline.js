/**
 * Owns the headline of a program that has no title: the first meaningful words of its source.
 * `app/web/links/headline.py` has the same rules. Pure.
 */

/**
 * The maximum number of characters of a headline, of lines searched, and of characters read per line. Lines
 * are cut because the time of some patterns grows faster than the length of a line.
 */
const MOST = { letters: 40, lines: 400, ofLine: 200 };
const COMMENT = /^\s*#(?!!|\s*(?:type:|noqa|fmt:|ruff:|pylint:|-\*-))[\s#%=*-]*(.*)$/u;
const DOCSTRING = /^[rRuU]?("""|'''|"|')(.*)$/u;
const NAMED = /^class\s+([\p{L}\p{N}_]+)/u;
const PASSED = /^(?:import|from)\b|^torch\.manual_seed\b|^[\s)\]}@]|^(?:def|async|if|for|with|try|while)\b/u;
const WORD = /[\p{L}]{2}|[\u3400-\u9fff]/u;

/**
 * The headline of a program: its docstring, or else its first comment, the name of its last class, the title
 * of a finding, or its first statement that is not an import.
 * @param {string} source
 * @param {string} finding title of a finding; "": no finding
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
