/** What fluent.js exports: the reader of the catalogues that fluent.runtime reads in Python. */
export { FluentBundle, FluentDateTime, FluentNone, FluentNumber, FluentResource, FluentType } from "@fluent/bundle";
export type { FluentFunction, FluentValue, FluentVariable, Message, TextTransform } from "@fluent/bundle";
