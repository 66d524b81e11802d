/** Checks which conditions of a lesson's task are fulfilled at the end of a visitor's run. Pure. */

import { isConfirmed } from "./proofs.js";

/** @import {Attempt, Check} from "../../io/boot.js" */
/** @import {Index} from "../../run/types.d.ts" */

/** @typedef {{check: Check | null, holds: boolean}} Condition `check`: null: about how the run must end */

/**
 * The conditions of a lesson's task, and whether the run fulfils each of them.
 * @param {Index} index
 * @param {Attempt} attempt
 * @returns {Condition[]}
 */
export function conditionsOf(index, { ends = "finished", checks }) {
  const { ended } = index;
  return [
    { check: null, holds: (ended.kind === "raised" ? ended.type : ended.kind) === ends },
    ...checks.map((check) => ({ check, holds: isConfirmed(index, check) })),
  ];
}
