/**
 * Owns the messages of the page and their formatting. Each language has one Fluent catalogue, whose parts
 * are each fetched once.
 */

import { FluentResource } from "../../vendor/fluent.js";
import { computed, signal } from "../../vendor/ui.js";
import { ApiError } from "../io/api.js";
import { writeStored } from "../io/browser-storage.js";
import { preferredLanguage, wordsAddress, wordsInPage } from "../io/language.js";
import { isFile } from "../io/medium.js";
import { bundleOf } from "./bundle.js";
import { rowIn, sentenceTeller } from "../words/sentence.js";
import { glossaryOf } from "../words/terms.js";

/** @import {FluentBundle} from "../../vendor/fluent.js" */
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
 * The pending and finished requests for parts of catalogues, by address.
 * @type {Map<string, Promise<void>>}
 */
const fetched = new Map();
/**
 * The parts of the catalogue that were requested in addition to the part that every page needs.
 * @type {Set<"run" | "room">}
 */
const parts = new Set();

/**
 * Fetches the messages of the page in a language, once, and the further parts that were requested in another
 * language.
 * @param {Language} tag
 */
export async function loadWords(tag) {
  await fetchOnce(wordsAddress(tag, "page"), (resource) => {
    const glossary = glossaryOf(resource.body);
    glossaries[tag] = glossary;
    add(tag, resource, bundleOf(tag), glossary);
  });
  for (const part of parts)
    await fetchOnce(wordsAddress(tag, part), (resource) => {
      const [bundle, glossary] = [bundles.peek()[tag], glossaries[tag]];
      if (bundle && glossary) add(tag, resource, bundle, glossary);
    });
}

/**
 * Fetches the messages about runs in the current language, once. The messages about runs are not needed
 * before the first run.
 */
export function loadRunWords() {
  return loadPart("run");
}

/**
 * Fetches a further part of the catalogue in the current language, once.
 * @param {"run" | "room"} part
 */
export async function loadPart(part) {
  parts.add(part);
  await loadWords(language.peek());
}

/**
 * @param {string} address
 * @param {(resource: FluentResource) => void} take
 */
async function fetchOnce(address, take) {
  const answer = fetched.get(address) ?? resourceAt(address).then(take);
  fetched.set(address, answer);
  try {
    await answer;
  } catch (error) {
    fetched.delete(address); // the next call fetches the address again
    throw error;
  }
}

/** @param {string} address */
async function resourceAt(address) {
  if (isFile) return new FluentResource(wordsInPage(address));
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`no words at ${address}: ${answer.status}`);
  return new FluentResource(await answer.text());
}

/**
 * @param {Language} tag
 * @param {FluentResource} resource
 * @param {FluentBundle} bundle
 * @param {ReturnType<typeof glossaryOf>} glossary
 */
function add(tag, resource, bundle, glossary) {
  glossary.link(resource.body);
  bundle.addResource(resource);
  bundles.value = { ...bundles.peek(), [tag]: bundle };
}

/**
 * Loads the catalogue of a language, changes the page to it, and stores the choice.
 * @param {Language} tag
 */
export async function speak(tag) {
  await speakForNow(tag);
  writeStored("language", tag);
}

/**
 * Loads the catalogue of a language and changes the page to it, without storing the choice.
 * @param {Language} tag
 */
export async function speakForNow(tag) {
  await loadWords(tag);
  language.value = tag;
  document.documentElement.lang = tag;
}

/**
 * Formats a message in the current language. If the catalogue has no message with the id, the id is shown,
 * so that the mistake is visible but harmless.
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

/** The number of characters of a long argument that are kept, at its start and at its end. */
const READ = { head: 900, tail: 300 };

/**
 * Cuts the middle out of arguments that are too long, and inserts the number of omitted characters.
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

/** The ids of the glossary's terms in the current language. */
export function termsNow() {
  return glossaries[language.value]?.ids ?? [];
}

/**
 * The definition or the example of a glossary term.
 * @param {string} id
 * @param {"means" | "example"} what
 */
export function sayOfTerm(id, what) {
  const bundle = bundles.value[language.value];
  const pattern = bundle?.getMessage(id)?.attributes[what];
  return bundle && pattern ? bundle.formatPattern(pattern, undefined, []) : "";
}

/**
 * Marks the glossary terms in a text that is not a message, such as the text of a lesson.
 * @param {string} text
 */
export function withTerms(text) {
  return glossaries[language.value]?.mark(text) ?? text;
}

/**
 * A list, formatted for the current language.
 * @param {string[]} things
 */
export function listed(things) {
  return rowIn(language.value, things);
}

/** Formats a sentence: a message with arguments that may be messages, which are formatted first. */
export const tell = sentenceTeller(say, listed);

/**
 * The text of the server's reason for refusing a request, in the language of the page if the catalogue has a
 * message for it.
 * @param {{kind: string, message: string, hint: string}} refusal
 */
export function sayRefusal({ kind, message, hint }) {
  return hasWords(`error-${kind}`) ? say(`error-${kind}`) : `${message} ${hint}`;
}

/**
 * The text that reports a failure: the server's reason for refusing a request, or else that the page has an
 * error.
 * @param {unknown} error
 */
export function sayFailure(error) {
  return error instanceof ApiError ? sayRefusal(error) : say("error-page");
}

/**
 * Whether the current catalogue has a message.
 * @param {string} id
 */
export function hasWords(id) {
  return bundles.value[language.value]?.hasMessage(id) === true;
}
