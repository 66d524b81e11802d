/**
 * Owns creating a Fluent catalogue, whose function NUMBER also formats a line of another file, such as
 * "layer.py:2".
 */

import { FluentBundle, FluentNumber } from "../../vendor/fluent.js";

/** @import {FluentFunction} from "../../vendor/fluent.js" */

/**
 * An empty catalogue for a language. Fluent's Unicode isolation marks around arguments are off, because a
 * visitor would copy them along with code.
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
 * Formats a line of another file, which a message gets as a string such as "layer.py:2" instead of a number.
 * @param {FluentBundle} bundle
 * @param {string} text
 */
function elsewhere(bundle, text) {
  const pattern = bundle.getMessage("line-elsewhere")?.value;
  const cut = text.lastIndexOf(":");
  const args = { file: text.slice(0, cut), line: text.slice(cut + 1) };
  return pattern ? bundle.formatPattern(pattern, args, []) : text;
}
