/** Owns the list of findings at a step. */

import { h } from "../../../vendor/ui.js";
import { stopOfFinding } from "../../run/facts.js";
import { concerns, FindingCard, isOpenAt } from "./finding-card.js";
import { Fixes } from "./fixes.js";

/** @import {FindingsProps} from "../../panes/chunks.js" */
/** @import {Finding} from "../../run/trace.d.ts" */
/** @import {Index, State} from "../../run/types.d.ts" */

/** @param {FindingsProps} props */
export function Findings({ index, now, about, go, isBeside = false }) {
  const known = knownAt(index, now).filter((finding) => concerns(index, finding, now) === about);
  return bySeverity(known).map((finding, number) =>
    h(
      FindingCard,
      { index, finding, now, go, key: `${finding.kind}${number}` },
      isBeside ? null : h(Fixes, { index, finding }),
    ),
  );
}

/**
 * Whether the card of any finding is initially open at the step.
 * @param {Index} index
 * @param {State} now
 */
export function isExplained(index, now) {
  return knownAt(index, now).some((finding) => isOpenAt(index, finding, now));
}

/**
 * @param {Index} index
 * @param {State | null} now
 */
function knownAt(index, now) {
  return index.findings.filter((finding) => stopOfFinding(index, finding) <= (now?.k ?? 0));
}

/**
 * Sorts findings by severity: errors first and hints last. Findings of equal severity keep their order.
 * @param {Finding[]} findings
 */
function bySeverity(findings) {
  const weight = { error: 0, warning: 1, hint: 2 };
  return [...findings].sort((a, b) => weight[a.severity] - weight[b.severity]);
}
