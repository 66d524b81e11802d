/**
 * Owns marking glossary terms in the messages of the page, so that they become links. Terms are marked
 * before a message gets its arguments, so text of a snippet never becomes a link. Pure.
 */

/**
 * @typedef {(
 *   | string
 *   | {type: string, variants?: {value: Pattern}[]}
 *   | {type: string, variants?: {value: Pattern}[]}[]
 * )} Pattern the pattern type of FluentResource
 */
/** @typedef {{id: string, value: unknown, attributes: Record<string, unknown>}} Entry */

/**
 * The control characters that mark a term: before its id, before its shown text, and at its end. Text of a
 * snippet contains no control characters, because they are escaped.
 */
const [BEGIN, SHOWN, END] = ["\u0001", "\u0002", "\u0003"];
export const TERM = new RegExp(`${BEGIN}([^${SHOWN}]*)${SHOWN}([^${END}]*)${END}`);
const MARKS = new RegExp(`${BEGIN}[^${SHOWN}]*${SHOWN}|${END}`, "g");

/**
 * Matches the ids of messages whose terms become links. The titles of findings have no links, because they
 * are buttons.
 */
const LINKED = /^(?:story|phrase|help)-|^mode-.*-means$|^finding-(?!.*-title$)/;

/**
 * Removes the marks of terms from a string.
 * @param {string} text
 */
export function unmarked(text) {
  return text.replaceAll(MARKS, "");
}

/**
 * Collects the glossary terms of a catalogue of messages.
 * @param {readonly Entry[]} catalogue
 * @returns {{
 *   ids: string[],
 *   link: (entries: readonly Entry[]) => void,
 *   mark: (text: string) => string,
 * }} `ids`: the terms; `link`: marks terms in messages that are shown with links, of this or another
 * catalogue; `mark`: marks terms in text that is not a message
 */
export function glossaryOf(catalogue) {
  const terms = catalogue.filter(({ id }) => id.startsWith("term-"));
  const words = new Map(
    terms.flatMap(({ id, attributes }) =>
      String(attributes.words)
        .split(", ")
        .map((word) => /** @type {[string, string]} */ ([word, id])),
    ),
  );
  const plain = [...words.keys()].filter((word) => !word.startsWith("`")).sort((a, b) => b.length - a.length);
  const plainTerms = new RegExp(`(?<![A-Za-z_-])(?:${plain.join("|")})(?![A-Za-z_-])`, "g");
  const marked = (/** @type {string} */ word) => `${BEGIN}${words.get(word)}${SHOWN}${word}${END}`;

  /**
   * Marks the terms in a string. Code in backticks is not searched, but is marked if the whole of it is a
   * term.
   * @param {string} text
   * @param {boolean} isCode whether the string begins within code
   * @returns {{text: string, isCode: boolean}}
   */
  const mark = (text, isCode) => {
    const first = isCode ? text.indexOf("`") + 1 || text.length : 0;
    let isOpen = isCode && !text.includes("`");
    const rest = text.slice(first).replaceAll(/`[^`]*`?|[^`]+/g, (part) => {
      if (!part.startsWith("`")) return part.replaceAll(plainTerms, marked);
      isOpen = part.length === 1 || !part.endsWith("`");
      return words.has(part) ? marked(part) : part;
    });
    return { text: text.slice(0, first) + rest, isCode: isOpen };
  };

  /**
   * @param {Pattern} pattern
   * @param {boolean} isCode
   * @returns {{pattern: Pattern, isCode: boolean}}
   */
  const markIn = (pattern, isCode) => {
    if (typeof pattern === "string") {
      const result = mark(pattern, isCode);
      return { pattern: result.text, isCode: result.isCode };
    }
    if (!Array.isArray(pattern)) {
      for (const variant of pattern.variants ?? []) variant.value = markIn(variant.value, isCode).pattern;
      return { pattern, isCode };
    }
    let isInside = isCode;
    const parts = pattern.map((part) => {
      const result = markIn(part, isInside);
      isInside = result.isCode;
      return result.pattern;
    });
    return { pattern: /** @type {Pattern} */ (parts), isCode: isInside };
  };

  /** @param {readonly Entry[]} entries */
  const link = (entries) => {
    for (const entry of entries)
      if (LINKED.test(entry.id) && entry.value !== null)
        entry.value = markIn(/** @type {Pattern} */ (entry.value), false).pattern;
  };
  return { ids: terms.map(({ id }) => id), link, mark: (text) => mark(text, false).text };
}
