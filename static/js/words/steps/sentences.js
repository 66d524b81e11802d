/**
 * Owns the sentences that describe what a step did, and their order. Each sentence is a Fluent message with
 * its arguments. Pure.
 */

import { newArrays } from "../../run/values/arrays.js";
import { changedModes } from "../../run/modes.js";
import { firstNan, ranOperator } from "./of-operators.js";
import { backward, ranNode } from "./of-backward.js";
import { grads } from "./of-grads.js";
import { raised } from "./of-exceptions.js";
import { recorded, stale } from "./of-graph.js";
import { putOn } from "./of-hooks.js";
import {
  carrying,
  gone,
  madeWithoutGrad,
  newTensors,
  placedElsewhere,
  requiring,
  resized,
  thereBefore,
  unbound,
} from "./of-memory.js";
import { bound, callEnds, printed } from "./of-python.js";
import { result } from "./of-results.js";
import { writes } from "./of-writes.js";

/** @import {Index, Sentence, State} from "../../run/types.d.ts" */

const MOST = 4;

/**
 * The sentences about a step, in display order.
 * @param {Index} index
 * @param {State} state
 * @param {State | null} before the state at the previous stop
 * @returns {Sentence[]}
 */
export function stepSentences(index, state, before) {
  const whole = backward(index, state);
  const ownGrads = whole.length > 0 ? whole : grads(index, state, before);
  const { begun, over } = callEnds(index, state);
  const modes = changedModes(index, state.stop.within, before?.stop.within ?? null);
  const sentences = [
    ...begun,
    ...ranNode(index, state),
    ...ranOperator(index, state),
    ...firstNan(index, state),
    ...whole,
    ...thereBefore(index, state),
    ...newTensors(index, state),
    ...madeWithoutGrad(index, state),
    ...newArrays(index, state)
      .slice(0, MOST)
      .map(({ storage, name }) => ({ id: "story-numpy", args: { storage: `S${storage}`, name } })),
    ...writes(index, state, before, ownGrads.length > 0),
    ...resized(index, state),
    ...placedElsewhere(index, state),
    ...requiring(index, state),
    ...carrying(index, state),
    ...recorded(index, state),
    ...putOn(index, state),
    ...stale(index, state, before),
    ...(whole.length > 0 ? [] : ownGrads),
    ...unbound(index, state, before),
    ...gone(index, state, before),
    ...bound(index, state),
    ...result(index, state),
    ...printed(index, state),
    ...raised(index, state),
    ...over,
  ];
  // two Nodes with the same name on one line have equal sentences, of which one is shown
  const unique = new Map(sentences.map((sentence) => [JSON.stringify(sentence), sentence]));
  return [...modes, ...(unique.size === 0 ? [{ id: "story-nothing", args: {} }] : unique.values())];
}
