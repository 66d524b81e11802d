/**
 * Owns the messages of the page: one Fluent catalogue per language, fetched once, and the texts formatted
 * from it.
 */

import { FluentBundle, FluentResource } from "../../vendor/fluent.js";
import { computed, signal } from "../../vendor/ui.js";
import { writeStored } from "../io/browser-storage.js";
import { preferredLanguage, wordsAddress } from "../io/language.js";
import { rowIn, sentenceTeller } from "../words/sentence.js";
import { glossaryOf } from "../words/terms.js";

/** @import {Say} from "../run/types.d.ts" */

export const LANGUAGES = /** @type {const} */ (["en", "zh-CN"]);
/** @typedef {(typeof LANGUAGES)[number]} Language */

/** @type {import("../../vendor/ui.js").Signal<Language>} */
export const language = signal(preferredLanguage());
/** @type {import("../../vendor/ui.js").Signal<Partial<Record<Language, FluentBundle>>>} */
const bundles = signal({});
/** @type {Partial<Record<Language, ReturnType<typeof glossaryOf>>>} */
const glossaries = {};

/**
 * Fetches the catalogue of a language, once.
 * @param {Language} tag
 */
export async function loadWords(tag) {
  if (bundles.peek()[tag]) return;
  const answer = await fetch(wordsAddress(tag));
  if (!answer.ok) throw new Error(`no words for ${tag}: ${answer.status}`);
  const bundle = new FluentBundle(tag, { useIsolating: false });
  const resource = new FluentResource(await answer.text());
  glossaries[tag] = glossaryOf(resource.body);
  bundle.addResource(resource);
  bundles.value = { ...bundles.peek(), [tag]: bundle };
}

/**
 * Changes the language once its catalogue is loaded.
 * @param {Language} tag
 */
export async function speak(tag) {
  await loadWords(tag);
  language.value = tag;
  document.documentElement.lang = tag;
  writeStored("language", tag);
}

/**
 * Formats a message in the current language. An unknown id is returned as it is, so that the slip is visible
 * and harmless.
 * @type {import("../../vendor/ui.js").ReadonlySignal<Say>}
 */
export const words = computed(() => {
  const bundle = bundles.value[language.value];
  return (id, args) => {
    const pattern = bundle?.getMessage(id)?.value;
    if (!bundle || !pattern) return id;
    return bundle.formatPattern(pattern, args && readable(bundle, args), []).trim();
  };
});

/** The most characters of one text within a sentence. */
const READ = { head: 900, tail: 300 };

/**
 * Shortens a text that is too long: its begin, its end, and how many characters lie between.
 * @param {FluentBundle} bundle
 * @param {Record<string, string | number>} args
 */
function readable(bundle, args) {
  const long = Object.entries(args).filter(
    ([, value]) => typeof value === "string" && value.length > READ.head + READ.tail,
  );
  if (long.length === 0) return args;
  const cut = bundle.getMessage("text-cut")?.value ?? "";
  const brief = long.map(([key, value]) => {
    const text = String(value);
    const left = bundle.formatPattern(cut, { count: text.length - READ.head - READ.tail }, []);
    return [key, `${text.slice(0, READ.head)} … ${left} … ${text.slice(-READ.tail)}`];
  });
  return { ...args, ...Object.fromEntries(brief) };
}

/** @type {Say} */
export const say = (id, args) => words.value(id, args);

/** The ids of the glossary's terms. */
export function termsNow() {
  return glossaries[language.value]?.ids ?? [];
}

/**
 * The entry of a term.
 * @param {string} id
 * @param {"means" | "example"} what
 */
export function sayOfTerm(id, what) {
  const bundle = bundles.value[language.value];
  const pattern = bundle?.getMessage(id)?.attributes[what];
  return bundle && pattern ? bundle.formatPattern(pattern, undefined, []) : "";
}

/**
 * Marks the terms in texts that are no message: those of a lesson.
 * @param {string} text
 */
export function withTerms(text) {
  return glossaries[language.value]?.mark(text) ?? text;
}

/**
 * A list as the current language writes it.
 * @param {string[]} things
 */
export function listed(things) {
  return rowIn(language.value, things);
}

/** Formats a sentence, its phrases first. */
export const tell = sentenceTeller(say, listed);

/**
 * The reason why the server refused, in the language of the page where the catalogue has a message for it.
 * @param {{kind: string, message: string, hint: string}} refusal
 */
export function sayRefusal({ kind, message, hint }) {
  return hasWords(`error-${kind}`) ? say(`error-${kind}`) : `${message} ${hint}`;
}

/**
 * Whether the current catalogue has a message.
 * @param {string} id
 */
export function hasWords(id) {
  return bundles.value[language.value]?.hasMessage(id) === true;
}
