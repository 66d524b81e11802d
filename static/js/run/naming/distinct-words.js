/**
 * Owns forms of long names that keep only a word of each part by which it differs from the alternatives:
 * `encoder…query.weight` for `model.encoder_layer.self_attention_query.weight`. Pure.
 */

/** Up to this number of characters, a part of a path is kept whole. */
const MOST_PART = 12;
/** Matches the beginning of each part of a path, except of an index, and of the function of a variable. */
const BEGINS = /(?<! · .*)(?=\.|\[['"]| · )/su;
/** Matches the signs around the text of a part, except around a whole key. */
const SIGNS = /^\.|^ · |^\[['"](?!.*\])|(?<!^\[.*)['"]\]$/gu;
/** Matches the sign between words of a name. */
const BETWEEN = /_+|\.|(?<=[\p{Ll}\d])(?=\p{Lu})/u;

/** @typedef {Map<string, Level>} Level the parts that follow the same beginning of a path */
/** @typedef {{before: string, text: string}} Word a word of a part, and the sign before the word */

/**
 * The forms of each name, longest first: all words from one word on, also with a gap after the first word.
 * Several names may have the same form.
 * @param {Iterable<string>} texts
 * @returns {Map<string, string[]>}
 */
export function distinctWords(texts) {
  /** @type {Level} */
  const root = new Map();
  const paths = [...texts].map((text) => ({ text, parts: text.split(BEGINS) }));
  for (const { parts } of paths) {
    let level = root;
    for (const part of parts) {
      const next = level.get(part) ?? new Map();
      level.set(part, next);
      level = next;
    }
  }
  return new Map(paths.map(({ text, parts }) => [text, formsOf(wordsOf(parts, root))]));
}

/** @param {Word[]} words */
function formsOf(words) {
  const ends = words
    .map((_, from) => words.slice(from).reduce((form, { before, text }) => `${form}${before}${text}`, ""))
    .filter((end) => !end.startsWith(" "));
  const gapped = words.flatMap(({ text }, at) =>
    ends.slice(at + 2).map((end) => `${text}…${end.replace(/^[.…]/u, "")}`),
  );
  return [...ends.map((end) => end.replace(/^\./u, "")), ...gapped].sort((a, b) => b.length - a.length);
}

/**
 * The words of a path.
 * @param {string[]} parts
 * @param {Level} root
 */
function wordsOf(parts, root) {
  let [level, isGap] = [root, false];
  /** @type {Word[]} */
  const words = [];
  for (const [place, part] of parts.entries()) {
    if (level.size > 1 || parts[place + 1]?.startsWith(" ") !== false) {
      const [found, all] = wordOf(part, [...level.keys()]);
      const sign = /^\.|^ · /u.exec(part)?.[0] ?? "";
      const gap = isGap || found > 0 ? "…" : "";
      words.push({ before: sign === "." && gap ? gap : `${sign}${gap}`, text: all[found] ?? "" });
      isGap = found < all.length - 1;
    } else isGap = words.length > 0;
    level = level.get(part) ?? root;
  }
  const last = words.at(-1);
  if (last && isGap) last.text += "…";
  return words;
}

/**
 * The words of a part, and which of them none of the other parts has; a short part, or a part without such a
 * word, is one word.
 * @param {string} part
 * @param {string[]} parts
 * @returns {[number, string[]]}
 */
function wordOf(part, parts) {
  const text = part.replace(SIGNS, "");
  const words = text.split(BETWEEN);
  const others = parts.flatMap((other) => (other === part ? [] : other.replace(SIGNS, "").split(BETWEEN)));
  const found = text.length > MOST_PART ? words.findIndex((word) => !others.includes(word)) : -1;
  return found < 0 ? [0, [text]] : [found, words];
}
