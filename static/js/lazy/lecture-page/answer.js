/** Owns the answer to "Why?" under the pictures of a part, if the teacher had asked. */

import { h, useEffect, useState } from "../../../vendor/ui.js";
import { withChunk } from "../../panes/chunks.js";
import { askedIn } from "../../run/stops/why-address.js";

/** @import {WhyChunk} from "../../panes/chunks.js" */
/** @import {Index} from "../../run/types.d.ts" */

/**
 * `go`: undefined while the part is static, that is, until the visitor presses it.
 * @param {{index: Index, view: string, k: number, go?: (k: number) => void}} props
 */
export function Answer({ index, view, k, go }) {
  const [chunk, setChunk] = useState(/** @type {WhyChunk | null} */ (null));
  const question = askedIn(index, new URLSearchParams(view).get("why"));
  useEffect(() => {
    if (question !== null) withChunk("why", setChunk);
  }, [question === null]);
  if (chunk === null || question === null) return null;
  const why = chunk.whyOf(index, question.tick, question.subject);
  return why === null
    ? null
    : h("div", { class: "story lecture-why" }, h(chunk.Chain, { why, k, ...(go ? { go } : {}) }));
}
