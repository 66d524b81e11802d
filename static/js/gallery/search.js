/**
 * Owns the search of the lessons: the lessons that contain all words of a query, best first, and the matched
 * parts of a text. Pure.
 */

/** @import {Lesson} from "../io/boot.js" */
/** @import {Language} from "../state/words.js" */

/**
 * The weight of a matched word, by field of the lesson. The field `why` is searched but never shown, because
 * it reveals the lesson's answer.
 */
const WEIGHTS = { title: 8, claim: 4, code: 2, why: 1 };

/** @typedef {keyof typeof WEIGHTS} Field */
/** @typedef {{lesson: Lesson, fields: Record<Field, string>}} Entry */
/** @typedef {{lesson: Lesson, line: string}} Found `line`: of code, if only the code has a word */

/**
 * All lessons with their searchable text in one language.
 * @param {Lesson[]} lessons
 * @param {Language} language
 * @returns {Entry[]}
 */
export function entriesOf(lessons, language) {
  return lessons.map((lesson) => {
    const said = (/** @type {"title" | "claim" | "why"} */ field) => folded(lesson[field][language] ?? "");
    const code = folded(`${lesson.snippet.source}\n${lesson.fixed?.source ?? ""}`);
    return { lesson, fields: { title: said("title"), claim: said("claim"), why: said("why"), code } };
  });
}

/**
 * @param {Entry[]} entries
 * @param {string} query
 * @returns {Found[]}
 */
export function search(entries, query) {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const found = entries
    .map((entry) => ({ entry, weight: weightOf(entry, words) }))
    .filter(({ weight }) => weight > 0);
  // The sort is stable, so lessons that match equally well stay in the order of the course.
  found.sort((one, other) => other.weight - one.weight);
  return found.map(({ entry }) => ({ lesson: entry.lesson, line: lineOf(entry, words) }));
}

/** @param {string} query */
export function wordsOf(query) {
  return folded(query)
    .split(/\s+/)
    .filter((word) => word !== "");
}

/**
 * How well a lesson matches: the sum of the weights of all words, or 0 if the lesson does not contain every
 * word.
 * @param {Entry} entry
 * @param {string[]} words
 */
function weightOf({ fields }, words) {
  let sum = 0;
  for (const word of words) {
    const weight = Math.max(
      ...Object.entries(WEIGHTS).map(
        ([field, factor]) => factor * nearness(fields[/** @type {Field} */ (field)], word),
      ),
    );
    if (weight === 0) return 0;
    sum += weight;
  }
  return sum;
}

/**
 * How well a text matches `word`: 1 if a word of the text begins with it, 0.5 if it occurs only inside
 * words, 0 if it does not occur.
 * @param {string} text
 * @param {string} word
 */
function nearness(text, word) {
  for (let place = text.indexOf(word); place >= 0; place = text.indexOf(word, place + 1)) {
    if (place === 0 || !/\w/.test(text[place - 1] ?? "")) return 1;
  }
  return text.includes(word) ? 0.5 : 0;
}

/**
 * The first line of code with a word that neither title nor claim contains; "" if there is no such line.
 * @param {Entry} entry
 * @param {string[]} words
 */
function lineOf({ lesson, fields }, words) {
  const onlyInCode = words.filter((word) => !fields.title.includes(word) && !fields.claim.includes(word));
  const lines = `${lesson.snippet.source}\n${lesson.fixed?.source ?? ""}`
    .split("\n")
    .map((line) => line.replace(/\s+#.*$/, "")); // without comments, which may reveal the lesson's answer
  return lines.find((line) => onlyInCode.some((word) => folded(line).includes(word)))?.trim() ?? "";
}

/**
 * The text in lower case and without accents, for comparison.
 * @param {string} text
 */
export function folded(text) {
  return [...text].map(foldedLetter).join("");
}

/** @param {string} letter */
function foldedLetter(letter) {
  return letter === "`" ? "" : letter.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/**
 * Splits a text at the given words, for highlighting. The pieces with an odd index are the words, the others
 * the text between them.
 * @param {string} text
 * @param {string[]} words
 * @returns {string[]}
 */
export function marked(text, words) {
  /**
   * For each character of the text without case and accents, the index of the original letter.
   * @type {number[]}
   */
  const origins = [];
  let line = "";
  const letters = [...text];
  for (const [place, letter] of letters.entries()) {
    const folded = foldedLetter(letter);
    for (let i = 0; i < folded.length; i += 1) origins.push(place);
    line += folded;
  }
  const isMarked = new Array(letters.length).fill(false);
  for (const word of words) {
    for (let from = line.indexOf(word); from >= 0; from = line.indexOf(word, from + word.length)) {
      for (let i = from; i < from + word.length; i += 1) isMarked[origins[i] ?? -1] = true;
    }
  }
  const pieces = [""];
  for (const [place, letter] of letters.entries()) {
    if (isMarked[place] !== (pieces.length % 2 === 0)) pieces.push("");
    pieces[pieces.length - 1] += letter;
  }
  return pieces;
}
