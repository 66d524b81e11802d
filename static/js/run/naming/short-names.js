/**
 * Owns the shortening of names to a part that is unique in the run: `fc1.weight` for `model.fc1.weight`. A
 * short name means the same name at every step. Pure.
 */

import { clip, clipName } from "../values/format.js";
import { perTraceInSlices } from "../per-run.js";
import { distinctWords } from "./distinct-words.js";
import { everName, numberedName, textOf } from "./naming.js";

/** @import {Index} from "../types.d.ts" */

/** Work in slices may be interrupted after this number of names. */
const PAUSE = 200;
/**
 * Limits in characters. A name of at most `whole` is never shortened. A part of at most `part` is never
 * divided into words. A form of at most `letters` is never cut within words, even if it is too long for its
 * space. `parts`: only so many parts at the end of a name are considered.
 */
const MOST = { whole: 10, part: 12, letters: 24, parts: 8 };
/** The separator between path and function in a name such as `x · f`. */
const OF = " · ";
/**
 * Matches a path of optimizer state such as `opt.state[w]['exp_avg']`: the optimizer, the tensor, the key,
 * and the remaining path.
 */
const STATE = /^(.+)\.state\[((?!True|False)[^\W\d].*)\]\['([^']*)'\]([^']*)$/s;
const GRADS = /^(.*?)((?:\.grad)+)((?: · .*)?)$/s;

/**
 * @typedef {{from: number, to: number, until: number, mark: string}} Part a part of a path; the path ends at
 *   `until`
 */
/** @typedef {{text: string, rank: number}} Form of a name; a lower rank omits less */

/**
 * Shortens a name to `most` characters, or to more if it would not be unique otherwise.
 * @typedef {(text: string, most: number) => string} Shorten
 */

/**
 * Returns a function that shortens names so that different names stay different.
 * @param {Iterable<string>} texts
 * @returns {Generator<void, Shorten>}
 */
export function* shortening(texts) {
  const all = new Set(texts);
  const suffixes = yield* ownersOf(all, suffixesOf);
  /** @type {Map<string, string[]> | null} */
  let words = null;
  /** @type {Map<string, number> | null} */
  let counts = null;
  /** @type {Map<string, string[]>} */
  const known = new Map();
  /** @type {Map<number, Map<string, number>>} */
  const clips = new Map();
  const formsOf = (/** @type {string} */ text) => {
    const forms = known.get(text) ?? owned(suffixesOf(text), suffixes, text);
    known.set(text, forms);
    return forms;
  };
  const wordsOf = (/** @type {string} */ text) => {
    words ??= distinctWords(all);
    counts ??= counted([...words.values()].flat(), (form) => form);
    return (words.get(text) ?? []).filter((form) => counts?.get(form) === 1 && !suffixes.has(form));
  };
  const cut = (/** @type {string} */ text, /** @type {number} */ most) => {
    for (let letters = most; letters < text.length; letters += 2) {
      const uses = clips.get(letters) ?? counted(all, (each) => clipName(each, letters));
      clips.set(letters, uses);
      const form = clipName(text, letters);
      if ((uses.get(form) ?? 0) <= 1 && !suffixes.has(form)) return form;
    }
    return text;
  };
  return (text, most) => {
    if (isWithin(text, Math.max(most, MOST.whole))) return text;
    const forms = formsOf(text);
    const fitting = forms.find((form) => isWithin(form, most));
    if (fitting !== undefined) return fitting;
    const worded = wordsOf(text);
    const shortest =
      worded.find((form) => isWithin(form, most)) ?? [...forms, ...worded, text].sort(byLength)[0] ?? text;
    if (shortest.length <= Math.max(most, MOST.letters)) return shortest;
    const clipped = cut(text, most);
    return clipped.length < shortest.length ? clipped : shortest;
  };
}

/**
 * @param {string} a
 * @param {string} b
 */
function byLength(a, b) {
  return a.length - b.length;
}

/** The shortening of all names of a run, and whether several optimizers have state. */
const namesOf = perTraceInSlices(function* (/** @type {Index} */ index) {
  /** @type {Set<string>} */
  const texts = new Set();
  for (const name of index.names) {
    texts.add(textOf(index, name));
    if (name.id % PAUSE === 0) yield;
  }
  for (const { id } of index.tensors) {
    for (const text of [everName(index, id), numberedName(index, id)])
      if (text !== undefined) texts.add(text);
    if (id % PAUSE === 0) yield;
  }
  const bases = new Set([...texts].map((text) => stateIn(text)?.name ?? withoutGrad(text)[0]));
  const optimizers = new Set([...texts].flatMap((text) => stateIn(text)?.optimizer ?? []));
  return { shorten: yield* shortening(bases), hasSeveral: optimizers.size > 1 };
});

/**
 * Computes the shortened names of a run in short slices of time, and caches them.
 * @param {Index} index
 * @returns {Generator<void, void>}
 */
export function preparingShortNames(index) {
  return namesOf.making(index);
}

/**
 * Shortens a name of the run to at most `most` characters, or to as few as make it unique in the run.
 * @param {Index} index
 * @param {string} text
 * @param {number} most
 */
export function shortened(index, text, most) {
  if (isWithin(text, Math.max(most, MOST.whole))) return text;
  const state = stateIn(text);
  if (state !== null) {
    const name = namesOf.of(index).shorten(state.name, Math.max(2, most - state.key.length - 4));
    return `${optimizerBefore(index, state)}${name}['${state.key}']${state.rest}`;
  }
  const [base, grads] = withoutGrad(text);
  const name = namesOf.of(index).shorten(base, Math.max(2, most - grads.length));
  return grads === "" ? name : withGrads(name, grads);
}

/**
 * Divides a name of optimizer state into the short name of the parameter, `fc1.weight`, and the key,
 * `exp_avg`; null for other names.
 * @param {Index} index
 * @param {string} text
 * @param {number} most maximum number of characters of a line
 */
export function stateOf(index, text, most) {
  const state = stateIn(text);
  if (state === null) return null;
  const name = shortened(index, state.name, most);
  return { name, state: `${optimizerBefore(index, state)}${state.key}${state.rest}` };
}

/**
 * @param {Index} index
 * @param {{optimizer: string}} state
 */
function optimizerBefore(index, { optimizer }) {
  return namesOf.of(index).hasSeveral ? `${optimizer}.` : "";
}

/** @param {string} text */
function stateIn(text) {
  const found = STATE.exec(text);
  if (found === null) return null;
  const [, optimizer = "", name = "", key = "", rest = ""] = found;
  return { optimizer, name, key, rest };
}

/**
 * Divides a name into the name without its `.grad` suffixes, and these suffixes.
 * @param {string} text
 * @returns {[string, string]}
 */
function withoutGrad(text) {
  const [, path = text, grads = "", of = ""] = GRADS.exec(text) ?? [];
  return [`${path}${of}`, grads];
}

/**
 * @param {string} text
 * @param {string} grads
 */
function withGrads(text, grads) {
  const at = text.indexOf(OF);
  return at < 0 ? `${text}${grads}` : `${text.slice(0, at)}${grads}${text.slice(at)}`;
}

/**
 * @typedef {Map<string, {rank: number, text: string | null}>} Owners the name with a form; null: several
 *   names have it
 */

/**
 * For each form, the only name that can be shortened to it; null if several names can.
 * @param {Set<string>} texts
 * @param {(text: string) => Form[]} formsOf
 * @returns {Generator<void, Owners>}
 */
function* ownersOf(texts, formsOf) {
  /** @type {Owners} */
  const owners = new Map();
  let count = 0;
  for (const text of texts) {
    count += 1;
    if (count % PAUSE === 0) yield;
    for (const form of [{ text, rank: 0 }, ...formsOf(text)]) {
      const old = owners.get(form.text);
      if (old === undefined || form.rank < old.rank) owners.set(form.text, { rank: form.rank, text });
      else if (form.rank === old.rank && old.text !== text) old.text = null;
    }
  }
  return owners;
}

/**
 * Those short forms of a name that no other name has.
 * @param {Form[]} forms
 * @param {Owners} owners
 * @param {string} name
 */
function owned(forms, owners, name) {
  return forms.map(({ text }) => text).filter((text) => owners.get(text)?.text === name);
}

/**
 * The suffixes of a name, longest first: `layers[1].fc.weight`, `fc.weight`. If the name has a function (`x
 * · Net.forward`), each suffix is listed with the function, with the function's last part, and without it.
 * @param {string} text
 * @returns {Form[]}
 */
function suffixesOf(text) {
  const [path, functions] = functionsOf(text);
  return pathsOf(path).flatMap((begin, number) =>
    functions.flatMap((of, rank) => (number + rank === 0 ? [] : [{ text: `${begin}${of}`, rank: 1 + rank }])),
  );
}

/**
 * Divides a name into its path and the ways to write its function: in full, only the last part, or not at
 * all.
 * @param {string} text
 * @returns {[string, string[]]}
 */
function functionsOf(text) {
  const at = text.indexOf(OF);
  if (at < 0) return [text, [""]];
  const whole = text.slice(at);
  const last = whole.lastIndexOf(".");
  return [text.slice(0, at), [whole, ...(last < 0 ? [] : [`${OF}${whole.slice(last + 1)}`]), ""]];
}

/** @param {string} path */
function pathsOf(path) {
  const shorter = partsOf(path)
    .filter(({ from }) => from > 0)
    .map(({ from, until, mark }) => `${mark}${path.slice(from, until)}`);
  return [path, ...shorter];
}

/**
 * Matches one part of a path: an attribute with its indices (`layers[0]`), a string as a key, or another
 * key.
 */
const PART = /\.?(?<name>[^.[\]]+(?:\[\d+\])*)|\[(?<quote>['"])(?<key>.*?)\k<quote>\]|\[[^\]]*\]+/gsu;

/**
 * Divides a path into parts, and keeps the last ones. A dict key at the end of the path is divided, too:
 * `params['fc1.weight']` ends with `fc1.weight`.
 * @param {string} path
 * @returns {Part[]}
 */
function partsOf(path) {
  /** @type {Part[]} */
  const parts = [];
  for (const match of path.matchAll(PART)) {
    const { name, key } = /** @type {Record<string, string | undefined>} */ (match.groups);
    const end = match.index + match[0].length;
    const isLast = key !== undefined && end === path.length;
    if (name !== undefined) parts.push(...wordsIn(path, end - name.length, end, path.length));
    else if (!isLast) parts.push({ from: match.index, to: end, until: path.length, mark: "" });
    else
      for (const { index: at, 0: word } of key.matchAll(/[^.]+/g))
        parts.push(
          ...wordsIn(path, match.index + 2 + at, match.index + 2 + at + word.length, path.length - 2),
        );
  }
  return parts.slice(-MOST.parts);
}

/**
 * Divides a long part of a path into its words, at underscores.
 * @param {string} path
 * @param {number} from
 * @param {number} to
 * @param {number} until
 * @returns {Part[]}
 */
function wordsIn(path, from, to, until) {
  const begins =
    to - from <= MOST.part
      ? []
      : [...path.slice(from, to).matchAll(/_+(?=[^_])/g)].map(({ index, 0: { length } }) => index + length);
  return [0, ...begins].map((at, number) => ({
    from: from + at,
    to: begins[number] === undefined ? to : from + begins[number],
    until,
    mark: number === 0 ? "" : "…",
  }));
}

/**
 * @param {string} text
 * @param {number} most
 */
function isWithin(text, most) {
  return clip(text, most) === text;
}

/**
 * For each result of `made`, the number of texts that have this result.
 * @param {Iterable<string>} texts
 * @param {(text: string) => string} made
 */
function counted(texts, made) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const text of texts) {
    const form = made(text);
    counts.set(form, (counts.get(form) ?? 0) + 1);
  }
  return counts;
}
