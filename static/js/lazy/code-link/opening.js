/** Opens an address that contains code: shows the code in the editor, but does not run it. */

import { batch } from "../../../vendor/ui.js";
import { boot } from "../../io/boot.js";
import { PackedError, unpacked } from "../../io/packed-source.js";
import { leave } from "../../session/actions.js";
import { hashOf } from "../../session/address.js";
import { programOf } from "../../state/programs.js";
import { granularity, linked, program, source, standIn, status } from "../../state/store.js";

/** @import {Requested} from "../../session/address.js" */

/**
 * Puts the code that a link contains into the editor, without replacing the stored draft. If the code cannot
 * be unpacked, shows the reason.
 * @param {Requested & {code: string}} requested
 */
export async function openCodeLink({ code, step, granularity: by, stand_in }) {
  try {
    const text = await unpacked(code, boot.source_bytes);
    const at =
      step === null ? (stand_in ? "on=stand-in" : "") : hashOf(step, by ?? "node", stand_in).slice(1);
    batch(() => {
      leave();
      if (by !== null) granularity.value = by;
      source.value = text;
      program.value = programOf(text);
      standIn.value = stand_in;
      linked.value = { code, source: text, step, at };
      status.value = { kind: "noted", id: "code-link-opened" };
    });
  } catch (error) {
    if (!(error instanceof PackedError)) throw error;
    status.value = { kind: "failed", id: `code-link-${error.reason}`, text: "", canRetry: false };
  }
}
