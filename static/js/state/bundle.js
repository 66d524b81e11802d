/** Owns the creation of a Fluent catalogue whose messages can also name a line of another file. */

import { FluentBundle, FluentNumber } from "../../vendor/fluent.js";

/** @import {FluentFunction} from "../../vendor/fluent.js" */

/**
 * An empty catalogue of a language. The catalogue adds no isolation marks around arguments, because a
 * visitor would copy such marks along with the code.
 * @param {string} language
 */
export function bundleOf(language) {
  const functions = { NUMBER: /** @type {FluentFunction} */ (([value], options) => number(value, options)) };
  const bundle = new FluentBundle(language, { useIsolating: false, functions });
  /**
   * @param {Parameters<FluentFunction>[0][number] | undefined} value
   * @param {Parameters<FluentFunction>[1]} options
   */
  function number(value, options) {
    if (typeof value === "string") return elsewhere(bundle, value);
    if (!(value instanceof FluentNumber)) return value ?? "";
    const given = Object.entries(options).map(([name, option]) => [name, option.valueOf()]);
    return new FluentNumber(value.valueOf(), { ...value.opts, ...Object.fromEntries(given) });
  }
  return bundle;
}

/**
 * Formats a line of another file, such as "layer.py:2". For such a line, a message gets a string instead of
 * a number.
 * @param {FluentBundle} bundle
 * @param {string} text
 */
function elsewhere(bundle, text) {
  const pattern = bundle.getMessage("line-elsewhere")?.value;
  const cut = text.lastIndexOf(":");
  const args = { file: text.slice(0, cut), line: text.slice(cut + 1) };
  return pattern ? bundle.formatPattern(pattern, args, []) : text;
}
