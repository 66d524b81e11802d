/** Owns the answer to "Why?" under the pictures of a part, where its teacher had asked. */

import { h, useEffect, useState } from "../../../vendor/ui.js";
import { withChunk } from "../../panes/chunks.js";
import { askedIn } from "../../run/stops/why-address.js";

/** @import {WhyChunk} from "../../panes/chunks.js" */
/** @import {Choice} from "../../run/stops/why-address.js" */
/** @import {Index} from "../../run/types.d.ts" */

/**
 * `go`: undefined where the part is still.
 * @param {{index: Index, view: string, k: number, go?: (k: number) => void}} props
 */
export function Answer({ index, view, k, go }) {
  const [chunk, setChunk] = useState(/** @type {WhyChunk | null} */ (null));
  const [chosen, follow] = useState(/** @type {Choice[] | null} */ (null));
  const question = askedIn(index, new URLSearchParams(view).get("why"));
  useEffect(() => {
    if (question !== null) withChunk("why", setChunk);
  }, [question === null]);
  if (chunk === null || question === null) return null;
  const why = chunk.whyOf(index, question.tick, question.subject, chosen ?? question.choices);
  return h("div", { class: "story lecture-why" }, h(chunk.Chain, { why, k, ...(go ? { go, follow } : {}) }));
}
