/**
 * Owns the parsing of typed answers, and whether an answer is legal (of a form that the question permits)
 * and right. A float is right within the tolerance of `torch.testing.assert_close` for its dtype, or if it
 * equals the rounded value in the picture. Pure; the server applies the same rules for legal answers
 * (`app/questions/answers.py`).
 */

import { element } from "../values/format.js";

/** @import {Answer, Asked, Legal, Scalar} from "./asked.d.ts" */

/**
 * The relative and the absolute tolerance of a right answer by dtype. Answers of other dtypes must be
 * exactly equal.
 */
/** @type {Record<string, [number, number]>} */
export const TOLERANCES = {
  float16: [1e-3, 1e-5],
  bfloat16: [1.6e-2, 1e-5],
  float32: [1.3e-6, 1e-5],
  float64: [1e-7, 1e-7],
};

const LARGEST = 2 ** 53;
const NUMBER = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?$/;
const INTEGER = /^[+-]?[0-9]{1,40}$/;
const NOT_FINITE = /^([+-]?)(nan|inf|infinity)$/;
const CELL = /^s([0-9]{1,9})\[([0-9]{1,9})\]$/;
const COUNT = /^[0-9]{1,9}$/;
/** The maximum length of a typed answer. */
export const MOST_TYPED = 100;

/** @type {Answer} */
export const NONE = { kind: "none" };

/**
 * Parses a typed answer; null if the answer is not legal.
 * @param {Legal} legal
 * @param {string} text
 * @returns {Answer | null}
 */
export function parsed(legal, text) {
  const plain = text.replace(/^[ \t]+|[ \t]+$/g, "");
  const typed = plain.toLowerCase();
  if ([...text].length > MOST_TYPED || typed === "") return null;
  const answer = typed === "none" ? NONE : parsedAs(legal, typed, plain);
  return answer !== null && isLegal(legal, answer) ? answer : null;
}

/**
 * @param {Legal} legal
 * @param {string} typed
 * @param {string} plain the same string with its case unchanged
 * @returns {Answer | null}
 */
function parsedAs({ form, dtype = "" }, typed, plain) {
  if (form === "number") {
    const number = numberOf(typed, dtype);
    return number === null ? null : { kind: "number", number };
  }
  if (form === "name") return { kind: "name", name: plain };
  if (form === "whether")
    return typed === "yes" || typed === "no" ? { kind: "whether", whether: typed === "yes" } : null;
  if (form === "cell") {
    const match = CELL.exec(typed);
    return match === null ? null : { kind: "cell", storage: Number(match[1]), cell: Number(match[2]) };
  }
  const prefix = form === "version" ? /^v/ : form === "line" ? /^l/ : /^/;
  const digits = typed.replace(prefix, "");
  return COUNT.test(digits) ? { kind: form, [form]: Number(digits) } : null;
}

/**
 * @param {string} typed
 * @param {string} dtype
 * @returns {Scalar | null}
 */
function numberOf(typed, dtype) {
  if (dtype === "bool") {
    if (typed === "true" || typed === "1") return true;
    return typed === "false" || typed === "0" ? false : null;
  }
  const value = NUMBER.test(typed) ? Number(typed) : Number.NaN;
  if (dtype.includes("float")) {
    const [, sign, word] = NOT_FINITE.exec(typed) ?? [];
    if (word !== undefined) return word === "nan" ? "nan" : sign === "-" ? "-inf" : "inf";
    return Number.isFinite(value) ? value : null;
  }
  if (INTEGER.test(typed)) {
    const whole = BigInt(typed.replace("+", ""));
    return isLarge(whole) ? String(whole) : Number(whole);
  }
  return Math.abs(value) <= LARGEST && Number.isInteger(value) ? value : null;
}

/**
 * Whether an integer is too large to be written exactly as a JSON number.
 * @param {bigint} whole
 */
function isLarge(whole) {
  return whole > BigInt(LARGEST) || whole < -BigInt(LARGEST);
}

/**
 * Whether an answer has the form that the question permits, and names an object that exists.
 * @param {Legal} legal
 * @param {Answer} answer
 */
export function isLegal(legal, answer) {
  const { kind } = answer;
  if (kind === "none") return legal.has_none === true && Object.keys(answer).length === 1;
  if (kind !== legal.form) return false;
  const fields = kind === "cell" ? ["kind", "storage", "cell"] : ["kind", kind];
  return Object.keys(answer).every((key) => fields.includes(key)) && isThere(legal, answer);
}

/**
 * Whether the value or object of an answer is one that the question permits.
 * @param {Legal} legal
 * @param {Answer} answer
 */
function isThere(legal, answer) {
  const { kind, name = "", line = 0, version = -1, cell = -1 } = answer;
  switch (kind) {
    case "number":
      return isOf(answer.number, legal.dtype ?? "");
    case "version":
      return Number.isInteger(version) && version >= 0 && version <= LARGEST;
    case "counter":
      return (legal.counters ?? []).includes(answer.counter ?? -1);
    case "node":
      return (legal.nodes ?? []).includes(answer.node ?? -1);
    case "line":
      return Number.isInteger(line) && line >= 1 && line <= (legal.lines ?? 0);
    case "name":
      return name !== "" && [...name].length <= MOST_TYPED;
    case "cell":
      return (legal.cells ?? []).some(
        ([storage, count]) =>
          storage === answer.storage && Number.isInteger(cell) && cell >= 0 && cell < count,
      );
    default:
      return typeof answer.whether === "boolean";
  }
}

/**
 * Whether a value can be an element of a dtype. Integers beyond 2**53 are strings, as `parsed` returns them.
 * @param {Scalar | undefined} number
 * @param {string} dtype
 */
function isOf(number, dtype) {
  if (dtype === "bool" || typeof number === "boolean") return dtype === "bool" && typeof number === "boolean";
  if (typeof number === "string") {
    if (dtype.includes("float")) return ["nan", "inf", "-inf"].includes(number);
    return INTEGER.test(number) && isLarge(BigInt(number.replace("+", ""))) && !/^(\+|-?0)/.test(number);
  }
  if (number === undefined) return false;
  return dtype.includes("float")
    ? Number.isFinite(number)
    : Number.isInteger(number) && Math.abs(number) <= LARGEST;
}

/**
 * Whether an answer is legal and equals a right answer of the question, within the tolerance of its dtype.
 * @param {Asked} asked
 * @param {Answer} answer
 */
export function isRight({ legal, right }, answer) {
  return isLegal(legal, answer) && right.some((each) => agrees(legal, each, answer));
}

/**
 * @param {Legal} legal
 * @param {Answer} right
 * @param {Answer} answer
 */
function agrees(legal, right, answer) {
  if (right.kind !== answer.kind) return false;
  if (right.kind === "name") return right.name?.toLowerCase() === answer.name?.toLowerCase();
  if (right.kind === "cell") return right.storage === answer.storage && right.cell === answer.cell;
  if (right.kind !== "number") return right.kind === "none" || right[right.kind] === answer[right.kind];
  return isClose(right.number, answer.number, legal.dtype ?? "");
}

/**
 * @param {Scalar | undefined} truth
 * @param {Scalar | undefined} given
 * @param {string} dtype
 */
function isClose(truth, given, dtype) {
  if (typeof truth !== "number" || typeof given !== "number") return truth === given;
  const [relative, absolute] = TOLERANCES[dtype] ?? [0, 0];
  if (Math.abs(given - truth) <= absolute + relative * Math.abs(truth)) return true;
  return dtype.includes("float") && given === Number(element(truth, dtype));
}
