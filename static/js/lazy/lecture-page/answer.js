/**
 * Owns the answer to "Why?" under the pictures of a lecture's part, if the teacher asked that question in
 * the step.
 */

import { h, useEffect, useMemo, useState } from "../../../vendor/ui.js";
import { withChunk } from "../../panes/chunks.js";
import { askedIn } from "../../run/stops/why-address.js";

/** @import {WhyAnswer, WhyChunk} from "../../panes/chunks.js" */
/** @import {Choice} from "../../run/stops/why-address.js" */
/** @import {Index} from "../../run/types.d.ts" */
/**
 * @typedef {{
 *   why: WhyAnswer,
 *   follow: (choices: Choice[]) => void,
 *   Chain: WhyChunk["Chain"],
 * }} Answered
 */

/**
 * The answer to the "Why?" question in the stored view of a step. Null: the view has no question, or the
 * code for answers is not loaded yet.
 * @param {Index} index
 * @param {string} view
 * @returns {Answered | null}
 */
export function useAnswer(index, view) {
  const [chunk, setChunk] = useState(/** @type {WhyChunk | null} */ (null));
  const [chosen, follow] = useState(/** @type {Choice[] | null} */ (null));
  const question = useMemo(() => askedIn(index, new URLSearchParams(view).get("why")), [index, view]);
  useEffect(() => {
    if (question !== null) withChunk("why", setChunk);
  }, [question === null]);
  return useMemo(() => {
    if (chunk === null || question === null) return null;
    const why = chunk.answerOf(index, question.tick, question.subject, chosen ?? question.choices);
    return { why, follow, Chain: chunk.Chain };
  }, [chunk, question, chosen]);
}

/**
 * `go` is undefined until the visitor presses the part, because nothing in the part can be stepped until
 * then.
 * @param {{answer: Answered, k: number, go?: (k: number) => void}} props
 */
export function Answer({ answer: { why, follow, Chain }, k, go }) {
  return h("div", { class: "story lecture-why" }, h(Chain, { why, k, ...(go ? { go, follow } : {}) }));
}
