/** Owns the reason why autograd recorded no Node in a run. Pure. */

import { everName } from "./naming.js";

/** @import {Index} from "../types.d.ts" */

/**
 * The arguments of the message `graph-empty`: the reason, and the name of a tensor that requires grad, or
 * "none" if no such tensor has a name.
 * @param {Index} index of a run without Nodes
 */
export function whyNoNode(index) {
  if (index.tensors.length === 0) return { why: "no-tensor", name: "none" };
  const requiring = index.tensors.filter(({ requires_grad = [] }) =>
    requires_grad.some(([, value]) => value === true),
  );
  const [first] = requiring;
  if (first === undefined) return { why: "none-requires", name: "none" };
  const names = requiring.map(({ id }) => everName(index, id));
  return { why: "not-used", name: names.find((name) => name !== undefined) ?? "none" };
}
