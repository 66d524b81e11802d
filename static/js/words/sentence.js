/**
 * Owns the formatting of messages whose arguments are messages, too. The arguments are formatted first,
 * several of them become a list, and spaces in Chinese text are corrected. Pure.
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
 * The list formatter of each language, cached because creating one is slow.
 * @type {Map<string, Intl.ListFormat>}
 */
const formats = new Map();

/**
 * Joins items into a list in the notation of a language, such as "a, b and c".
 * @param {string} language
 * @param {string[]} things
 */
export function rowIn(language, things) {
  // in American English a list has a comma before its last "and", which the messages do not
  const format = formats.get(language) ?? new Intl.ListFormat(language === "en" ? "en-GB" : language);
  formats.set(language, format);
  return format
    .formatToParts(things)
    .map(({ type, value }) => (type === "literal" && value === "和" ? " 和 " : value))
    .join("");
}

/**
 * Removes spaces between Chinese characters. The messages have a space before each argument, which is needed
 * only if the argument begins with code.
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
