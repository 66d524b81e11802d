/** Owns the sentences for a question and for its answers. Pure. */

import { element, shortName } from "../../run/values/format.js";
import { at } from "../../run/facts.js";
import { gradName, nameIn } from "../../run/naming/naming.js";
import { namedAt } from "../../run/questions/truth-lookups.js";

/** @import {Index, Sentence, State} from "../../run/types.d.ts" */
/** @import {Answer, Posed} from "../../run/questions/asked.d.ts" */

/**
 * @typedef {{index: Index, now: State, ahead: State}} Around the states before and after the question
 */

/**
 * The sentence for a question about a step. A tensor that does not exist yet has the name that the step's
 * line will give it.
 * @param {Around} around
 * @param {Pick<Posed, "question">} asked
 * @returns {Sentence}
 */
export function wordingOf({ index, now, ahead }, { question }) {
  const { saved = -1 } = question;
  const { kind, tensor = null, storage = -1, cell = 0, node = -1, edge = 0, counter = -1 } = question;
  const name = nameIn(index, ahead, tensor) ?? "?";
  switch (kind) {
    case "sends":
      return { id: "ask-sends", args: { node: shortName(index.nodes[node]?.name ?? "?"), edge } };
    case "grad":
      return { id: "ask-grad", args: { name: gradName(name) } };
    case "grad_fn":
      return { id: "ask-grad-fn", args: { name } };
    case "version":
      return { id: "ask-version", args: { names: namesAt({ index, now, ahead }, counter) } };
    case "value":
      return now.storages.has(storage)
        ? { id: "ask-value", args: { cell: `S${storage}[${cell}]` } }
        : { id: "ask-value-new", args: { name: nameOn({ index, now, ahead }, storage) } };
    case "stale_by":
      return { id: "ask-stale-by", args: { ...slotOf(index, saved), line: ahead.stop.place } };
    case "raising_line":
      return { id: "ask-raising-line", args: {} };
    default:
      return { id: `ask-${kind}`, args: {} };
  }
}

/**
 * The sentence that states an answer to a question.
 * @param {Around} around
 * @param {Posed} asked
 * @param {Answer} answer
 * @returns {Sentence}
 */
export function answerOf(around, { question, legal }, answer) {
  const { index, ahead } = around;
  const { kind, number, node = -1, storage = -1, cell = 0, counter = -1, line = 0 } = answer;
  switch (kind) {
    case "none":
      return { id: `answer-none-${question.kind.replace("_", "-")}`, args: {} };
    case "number":
      return { id: "answer-text", args: { text: element(number, legal.dtype ?? "") } };
    case "version":
      return { id: "answer-text", args: { text: `v${answer.version}` } };
    case "cell":
      return { id: "answer-text", args: { text: `S${storage}[${cell}]` } };
    case "node":
      return { id: "answer-text", args: { text: nodeText(index, node) } };
    case "counter":
      return { id: "answer-counter", args: { names: namesAt(around, counter) } };
    case "line":
      return { id: "answer-line", args: { line } };
    case "whether":
      if (question.kind === "stale_by")
        return {
          id: answer.whether ? "answer-stale-by" : "answer-stale-before",
          args: { line: ahead.stop.place },
        };
      return { id: answer.whether ? "answer-yes" : "answer-no", args: {} };
    default:
      return { id: "answer-text", args: { text: answer.name ?? "" } };
  }
}

/**
 * The name under which a tensor was saved, such as `self`, and the name of the Node that saved it.
 * @param {Index} index
 * @param {number} saved
 */
export function slotOf(index, saved) {
  const record = index.saved_tensors[saved];
  return { node: shortName(index.nodes[record?.node ?? -1]?.name ?? "?"), saved: record?.name ?? "?" };
}

/**
 * The name of a Node with the name of its leaf, or with a number, so that it is unique in the run.
 * @param {Index} index
 * @param {number} id
 */
export function nodeText(index, id) {
  const node = index.nodes[id];
  const leaf = node?.variable;
  const of = leaf === undefined || leaf === null ? undefined : index.tensors[leaf];
  const name = of && index.lookups.names_of()(of.id)[0]?.path;
  return `${shortName(node?.name ?? "?")} ${name === undefined ? `#${id}` : name}`;
}

/**
 * The names of all tensors that share a version counter.
 * @param {Around} around
 * @param {number} counter
 */
export function namesAt({ index, now }, counter) {
  const names = namedAt(index, now.tick)
    .filter((tensor) => at(index.tensors[tensor]?.version_counter, now.tick) === counter)
    .map((tensor) => nameIn(index, now, tensor) ?? "?");
  return names.join(", ");
}

/**
 * The first name of a tensor in a newly allocated storage.
 * @param {Around} around
 * @param {number} storage
 */
function nameOn({ index, ahead }, storage) {
  const tensor = namedAt(index, ahead.tick).find(
    (id) => at(index.tensors[id]?.geometry, ahead.tick)?.storage === storage,
  );
  return nameIn(index, ahead, tensor ?? null) ?? `S${storage}`;
}
