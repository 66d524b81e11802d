/**
 * Owns the formatting of sentences with nested phrases. Phrases are formatted first, several phrases become
 * a list, and Chinese gets its spacing. Pure.
 */

/** @import {Sentence} from "../run/types.d.ts" */
/** @import {Say} from "../run/types.d.ts" */

/**
 * @param {Say} say
 * @param {(things: string[]) => string} listed
 * @returns {(sentence: Sentence) => string}
 */
export function sentenceTeller(say, listed) {
  /** @type {(sentence: Sentence) => string} */
  const tell = ({ id, args }) => {
    const said = Object.entries(args).map(([name, argument]) => [
      name,
      typeof argument !== "object"
        ? argument
        : Array.isArray(argument)
          ? listed(argument.map(tell))
          : tell(argument),
    ]);
    return closed(say(id, Object.fromEntries(said)));
  };
  return tell;
}

/**
 * The list formatter of each language. Creating a formatter takes longer than formatting the rest of a
 * sentence.
 * @type {Map<string, Intl.ListFormat>}
 */
const formats = new Map();

/**
 * A list in the notation of a language.
 * @param {string} language
 * @param {string[]} things
 */
export function rowIn(language, things) {
  // American English has a comma before the last "and"
  const format = formats.get(language) ?? new Intl.ListFormat(language === "en" ? "en-GB" : language);
  formats.set(language, format);
  return format
    .formatToParts(things)
    .map(({ type, value }) => (type === "literal" && value === "和" ? " 和 " : value))
    .join("");
}

/**
 * Chinese text has a space next to code, but no space between Chinese characters. Whether a space is needed
 * depends on the beginning of the inserted phrase.
 * @param {string} text
 */
function closed(text) {
  return text
    .split("`")
    .map((part, number) =>
      number % 2 === 0 ? part.replace(/(?<=[\p{Script=Han}）]) (?=[\p{Script=Han}（])/gu, "") : part,
    )
    .join("`");
}
