/**
 * Owns how a sentence with phrases in it is formatted: the phrases first, several as a list, and Chinese with
 * its spacing. Pure.
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
 * What writes the lists of each language: to make one takes longer than all else of a sentence.
 * @type {Map<string, Intl.ListFormat>}
 */
const formats = new Map();

/**
 * A list as a language writes it.
 * @param {string} language
 * @param {string[]} things
 */
export function rowIn(language, things) {
  // in American English a comma stands before the last "and"
  const format = formats.get(language) ?? new Intl.ListFormat(language === "en" ? "en-GB" : language);
  formats.set(language, format);
  return format
    .formatToParts(things)
    .map(({ type, value }) => (type === "literal" && value === "和" ? " 和 " : value))
    .join("");
}

/**
 * Chinese text has a space next to code and none between its own characters; only a phrase knows which of
 * the two it begins with.
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
