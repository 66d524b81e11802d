/**
 * Owns the sentences about the Python program apart from tensors: calls that begin and end, values of
 * variables, printed output. Pure.
 */

import { at } from "../../run/facts.js";
import { clip, isNative } from "../../run/values/format.js";
import { literal } from "../../run/legible.js";
import { textOf } from "../../run/naming/naming.js";
import { pointersIn } from "../../run/naming/pointers.js";
import { perRun } from "../../run/per-run.js";
import { codeOf, placeOfStep, sourceOf, told } from "../../run/places.js";
import { isBrokenOff } from "./of-exceptions.js";

/** @import {Held, Step, Variable} from "../../run/trace.d.ts" */
/** @import {Index, Sentence, State} from "../../run/types.d.ts" */

const MOST = 2;
/** The maximum number of printed memory addresses that the sentences of a step explain. */
const MOST_POINTERS = 6;
/** The maximum number of characters of a value or an output line within a sentence. */
const READ = 48;

/**
 * The sentence at the first statement of a call that the call begins, and the sentence at its last statement
 * that it returns.
 * @param {Index} index
 * @param {State} state
 * @returns {{begun: Sentence[], over: Sentence[]}}
 */
export function callEnds(index, { k, stop }) {
  const frame = stop.step.frame ?? 0;
  const call = index.steps[stop.step.parent ?? -1];
  if (stop.kind !== "statement" || frame === 0 || call?.kind !== "call" || isClassBody(index, call, frame))
    return { begun: [], over: [] };
  const { first, last } = endsOf(index.steps).get(frame) ?? {};
  const caller = index.steps[call.parent ?? -1];
  const args = {
    name: index.frames[frame]?.function ?? "?",
    line: caller?.kind === "node" ? 0 : placeOfStep(index, call.parent),
    again: call.span === undefined ? "yes" : "no",
  };
  const isRaised = index.stops[k + 1]?.kind === "exception" || isBrokenOff(index, stop.step.id);
  const isLeft = !isRaised && call.ended !== undefined;
  return {
    begun: first === stop.step.id ? [{ id: "story-called", args }] : [],
    over: last === stop.step.id && isLeft ? [{ id: "story-returned", args }] : [],
  };
}

/**
 * Whether a call is the execution of a class body, which Python runs like a function.
 * @param {Index} index
 * @param {Step} call
 * @param {number} frame of the call
 */
function isClassBody(index, call, frame) {
  const { line = 0, file } = index.frames[frame] ?? {};
  const isHere = placeOfStep(index, call.parent) === told(index, { line, file });
  return isHere && /^\s*(class\b|@)/.test(sourceOf(index, file).split("\n", line).at(-1) ?? "");
}

/** For each frame, its first and its last executed statement. */
const endsOf = perRun((/** @type {Step[]} */ steps) => {
  /** @type {Map<number, {first: number, last: number}>} */
  const ends = new Map();
  for (const { id, kind, frame } of steps)
    if (kind === "statement" && frame !== undefined)
      ends.set(frame, { first: ends.get(frame)?.first ?? id, last: id });
  return ends;
});

/**
 * The sentences about variables of the current frame that this step bound to another value.
 * @param {Index} index
 * @param {State} state
 * @returns {Sentence[]}
 */
export function bound(index, { stop, tick, before }) {
  const call = index.steps[stop.step.parent ?? -1];
  // a resumed generator gets a new frame, in which old variables seem new
  const goesOn = call?.kind === "call" && call.span === undefined && call.began > before;
  if (stop.kind !== "statement" || goesOn) return [];
  const isFresh = (/** @type {Variable} */ variable) =>
    (variable.value ?? []).some(([since, held]) => since > before && since <= tick && held !== null);
  const isImport = /^\s*(import|from)\b/.test(codeOf(index, stop));
  const frame = stop.step.frame ?? 0;
  // the `self` of a method needs no sentence
  const fresh = index.lookups
    .variables_of()(frame)
    .filter((variable) => isFresh(variable) && variable.name !== "self");
  const sentences = fresh.flatMap(({ name, value }) => {
    const [held, was] = [at(value, tick), at(value, before)];
    if (held == null || JSON.stringify(held) === JSON.stringify(was)) return [];
    if (isImport && (held.kind !== "module" || held.text === name))
      return [{ id: "story-imported", args: { name } }];
    return [holds(textOf(index, { path: name, frame }), held)];
  });
  return sentences.length <= MOST + 1
    ? sentences
    : [...sentences.slice(0, MOST), { id: "story-more-variables", args: { count: sentences.length - MOST } }];
}

/**
 * @param {string} name
 * @param {Held} held
 * @returns {Sentence}
 */
function holds(name, { kind = "value", type, text, length }) {
  if (type === "staticmethod" || type === "classmethod")
    return { id: "story-holds-function", args: { name } };
  const args = { name, type, text: literal(clip(text ?? "", READ)), count: length ?? 0 };
  if (kind === "value" && text === undefined) return { id: "story-holds-object", args };
  return { id: `story-holds-${kind}`, args };
}

/**
 * The first line of a warning's text, cut if it is long.
 * @param {string} text
 */
function firstLine(text) {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length <= 3 * READ ? line : `${line.slice(0, 3 * READ)}…`;
}

/**
 * The sentences about output of this step: printed text, printed addresses, and warnings.
 * @param {Index} index
 * @param {State} state
 * @returns {Sentence[]}
 */
export function printed(index, { tick, before }) {
  const fresh = index.lookups.outputs().within(before, tick);
  /** @type {Sentence[]} */
  const sentences = [];
  const lines = fresh
    .filter((output) => output.stream !== "warning" && !isNative(output))
    .map((output) => output.text)
    .join("")
    .split("\n")
    .filter((line) => line.trim() !== "");
  if (lines.length > 0)
    sentences.push({
      id: "story-printed",
      args: { count: lines.length, text: literal(clip((lines[0] ?? "").trim(), READ)) },
    });
  const pointers = fresh
    .filter(({ stream }) => stream !== "warning")
    .flatMap(({ text, tick: then }) => pointersIn(index, text, then));
  const told = new Map(pointers.map((pointer) => [pointer.told.args.number, pointer.told]));
  sentences.push(...[...told.values()].slice(0, MOST_POINTERS));
  if (fresh.some(isNative)) sentences.push({ id: "story-native-output", args: {} });
  for (const warning of fresh.filter(({ stream }) => stream === "warning").slice(0, MOST))
    sentences.push({
      id: "story-warned",
      args: { category: warning.category ?? "Warning", text: literal(firstLine(warning.text)) },
    });
  return sentences;
}
