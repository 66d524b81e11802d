/** Owns the completion of torch's names after a point in the code. */

import { NAMES } from "./torch-names.js";

/** @import {Completion, CompletionContext, CompletionResult} from "../../../vendor/codemirror-more.js" */

/**
 * Matches the text before the cursor: a dotted path, or the end of a call or an index, and the start of a
 * name.
 */
const BEFORE = /(?:[A-Za-z_][\w.]*|[)\]])\.\w*/;

const IMPORT = /^\s*(?:from\s+([\w.]+)\s+)?import\s+(.*)/;
const IMPORTED = /^[\s(]*([\w.]+)(?:\s+as\s+(\w+))?/;

/**
 * Matches the assignment of a new instance of a class other than Tensor and Parameter, such as `= Net(`. The
 * assigned name is then not a Tensor.
 */
const INSTANCE = /^\s*=\s*[\w.]*\b(?!Tensor\b|Parameter\b)[A-Z]\w*\(/;

/**
 * The maximum number of characters of a line that are searched, because a line of the snippet can have any
 * length.
 */
const MOST = 200;

/**
 * The usual names of torch modules. Members of these modules are completed even before the code imports the
 * modules.
 */
const USUAL = /** @type {const} */ ([
  ["torch", "torch"],
  ["nn", "torch.nn"],
  ["F", "torch.nn.functional"],
]);

/** @type {Map<string, Completion[]>} */
const options = new Map(
  Object.entries(NAMES).map(([owner, names]) => [owner, names.split(" ").map((label) => ({ label }))]),
);

/**
 * @param {CompletionContext} context
 * @returns {CompletionResult | null}
 */
export function torchNames(context) {
  const found = context.matchBefore(BEFORE);
  if (found === null) return null;
  const point = found.text.lastIndexOf(".");
  const owner = ownerOf(found.text.slice(0, point), context.state.doc.toString());
  const names = owner === null ? undefined : options.get(owner);
  return names === undefined ? null : { from: found.from + point + 1, options: names, validFor: /^\w*$/ };
}

/**
 * The torch module or class whose members complete a path, or null if it is unknown.
 * @param {string} path the text before the point
 * @param {string} source
 */
export function ownerOf(path, source) {
  if (!/^\w/.test(path)) return "Tensor";
  const lines = source.split("\n").map((line) => line.slice(0, MOST));
  const [root = "", ...rest] = path.split(".");
  const imported = new Map([...USUAL, ...lines.flatMap(importsOf)]).get(root);
  if (imported !== undefined) return [imported, ...rest].join(".");
  const isOther = lines.map((line) => line.trimStart()).some((line) => isInstance(line, path));
  return isOther || ["self", "cls"].includes(path) ? null : "Tensor";
}

/**
 * Whether a line assigns an instance of a class to a path.
 * @param {string} line
 * @param {string} path
 */
function isInstance(line, path) {
  return line.startsWith(path) && INSTANCE.test(line.slice(path.length));
}

/**
 * The names that a line imports, each with the full path of the imported module or member.
 * @param {string} line
 * @returns {[string, string][]}
 */
function importsOf(line) {
  const [, from, list] = IMPORT.exec(line) ?? [];
  return (list ?? "").split(",").flatMap((each) => {
    const [, name, alias] = IMPORTED.exec(each) ?? [];
    if (name === undefined) return [];
    if (from !== undefined) return [[alias ?? name, `${from}.${name}`]];
    const [root = name] = name.split(".");
    return [alias === undefined ? [root, root] : [alias, name]];
  });
}
