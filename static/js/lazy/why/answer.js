/**
 * Computes the answer to a question "Why?": the chain of steps that explains a value, and the marks of this
 * chain in both pictures.
 */

import { drawing } from "../../io/drawing.js";
import { graphMarks, memoryMarks } from "../../layout/marks/chain-marks.js";
import { chainOf } from "../../words/why/chain-of.js";
import { whyOf } from "../../words/why/why.js";

/** @import {WhyAnswer, WhyChunk} from "../../panes/chunks.js" */
/** @import {Box} from "../../run/types.d.ts" */

/**
 * @param {Parameters<WhyChunk["answerOf"]>} asked
 * @returns {WhyAnswer}
 */
export function answerOf(...asked) {
  const why = whyOf(...asked);
  const chain = chainOf(why.hops);
  return {
    ...{ ...why, chain },
    over: ({ graph, memory }, state) => {
      const marking = (/** @type {Box | null} */ view) => ({ el: drawing().el, state, chain, view });
      return {
        graph: (view) => graphMarks(graph, marking(view)),
        memory: (view) => memoryMarks(memory, marking(view)),
      };
    },
  };
}
