/** Owns the check of which conditions of a lesson's task hold at the end of a run. Pure. */

import { isConfirmed } from "./proofs.js";

/** @import {Attempt, Check} from "../../io/boot.js" */
/** @import {Index} from "../../run/types.d.ts" */

/** @typedef {{check: Check | null, holds: boolean}} Condition `check`: null: about how the run must end */

/**
 * The conditions of a task. Each condition has a flag for whether the run fulfils the condition.
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
