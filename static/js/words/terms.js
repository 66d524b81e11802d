/**
 * Owns the search for glossary terms in the player's messages. Terms are marked before arguments are filled
 * in, so text of a snippet never becomes a link. Pure.
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
 * The marks of a term: before the id, before the shown text, and at the end. Text of a snippet has no such
 * characters, because they are escaped.
 */
const [BEGIN, SHOWN, END] = ["\u0001", "\u0002", "\u0003"];
export const TERM = new RegExp(`${BEGIN}([^${SHOWN}]*)${SHOWN}([^${END}]*)${END}`);
const MARKS = new RegExp(`${BEGIN}[^${SHOWN}]*${SHOWN}|${END}`, "g");

/** Matches the messages that are shown with links. Titles have no links, because they are buttons. */
const LINKED = /^(?:story|phrase|help)-|^mode-.*-means$|^finding-(?!.*-title$)/;

/**
 * A string without the marks of terms.
 * @param {string} text
 */
export function unmarked(text) {
  return text.replaceAll(MARKS, "");
}

/**
 * The terms of a catalogue.
 * @param {readonly Entry[]} catalogue
 * @returns {{
 *   ids: string[],
 *   link: (entries: readonly Entry[]) => void,
 *   mark: (text: string) => string,
 * }} `ids`: the terms; `link`: marks terms in messages that are shown with links, of this or another
 * catalogue; `mark`: marks terms in other text of the player
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
   * Marks the terms in a string. Code is unchanged, unless the code is a term.
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
