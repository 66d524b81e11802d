/** Owns the list of findings at a step. */

import { h } from "../../../vendor/ui.js";
import { stopOfFinding } from "../../run/facts.js";
import { concerns, FindingCard } from "./finding-card.js";
import { Fixes } from "./fixes.js";

/** @import {FindingsProps} from "../../panes/chunks.js" */
/** @import {Finding} from "../../run/trace.d.ts" */

/** @param {FindingsProps} props */
export function Findings({ index, now, about, go, isBeside = false }) {
  const k = now?.k ?? 0;
  const known = index.findings.filter(
    (finding) => stopOfFinding(index, finding) <= k && concerns(index, finding, now) === about,
  );
  return bySeverity(known).map((finding, number) =>
    h(
      FindingCard,
      { index, finding, now, go, key: `${finding.kind}${number}` },
      isBeside ? null : h(Fixes, { index, finding }),
    ),
  );
}

/**
 * Errors first, hints last; each group in its order.
 * @param {Finding[]} findings
 */
function bySeverity(findings) {
  const weight = { error: 0, warning: 1, hint: 2 };
  return [...findings].sort((a, b) => weight[a.severity] - weight[b.severity]);
}
