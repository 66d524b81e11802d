/**
 * Owns what a program without a title is called, in its first meaningful words. `app/web/links/headline.py`
 * chooses the same. Pure.
 */

/** Characters of a headline, and in how many lines it is looked for. */
const MOST = { letters: 40, lines: 400 };
const COMMENT = /^\s*#(?!!|\s*(?:type:|noqa|fmt:|ruff:|pylint:|-\*-))[\s#%=*-]*(.*)$/u;
const DOCSTRING = /^[rRuU]?(?:"""|'''|"|')\s*(.*?)\s*(?:"""|'''|"|')?\s*$/u;
const NAMED = /^class\s+([\p{L}\p{N}_]+)/u;
const PASSED = /^(?:import|from)\b|^torch\.manual_seed\b|^[\s)\]}@]|^(?:def|async|if|for|with|try|while)\b/u;
const WORD = /[\p{L}]{2}|[\u3400-\u9fff]/u;

/**
 * The docstring, the first comment, the last class, a finding, else the first statement that is no import.
 * @param {string} source
 * @param {string} finding its title; empty for none
 */
export function headline(source, finding) {
  const lines = source.split("\n").slice(0, MOST.lines);
  const code = lines.filter((line) => line.trim() !== "" && !line.trimStart().startsWith("#"));
  const found = (/** @type {string[]} */ among, /** @type {RegExp} */ pattern) =>
    among.flatMap((line) => pattern.exec(line)?.[1] ?? []);
  const plain = code.filter((line) => !PASSED.test(line)).map((line) => line.split("  #")[0] ?? "");
  const words = [
    ...found(code.slice(0, 1), DOCSTRING),
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
