/**
 * Owns the card of a finding: its text, its steps and its fixes, the saved tensors compared with their
 * current values, and the corrected gradients.
 */

import { Fragment, h } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { select } from "../../state/selection.js";
import { at, stopAtTick, stopOfFinding } from "../../run/facts.js";
import { shortName, single } from "../../run/values/format.js";
import { isSilentlyWrong } from "../../run/trials.js";
import { isPresenting } from "../../state/preferences.js";
import { goTo } from "../../state/store.js";
import { hasWords, say } from "../../state/words.js";
import { Icon } from "../../panes/icons.js";
import { CorrectedRows, CorrectedSource } from "./corrected-rows.js";
import { rich } from "../../panes/rich.js";
import { ShapeRows } from "./shape-rows.js";

/** @import {ComponentChildren} from "../../../vendor/ui.js" */
/** @import {Finding, SavedTensor} from "../../run/trace.d.ts" */
/** @import {Index, State} from "../../run/types.d.ts" */

/**
 * @typedef {object} CardProps
 * @property {Index} index
 * @property {Finding} finding
 * @property {State | null} now
 * @property {(k: number) => void} go goes to a stop
 * @property {ComponentChildren} [children] the fixes
 */

/** @param {CardProps} props */
export function FindingCard({ index, finding, now, go, children }) {
  const args = finding.arguments ?? {};
  const saved = index.saved_tensors[finding.saved_tensors?.[0] ?? -1];
  const isHint = finding.severity === "hint";
  const compared = saved ? h(Comparison, { index, saved, tick: now?.tick ?? Infinity }) : null;
  const isOpen = isOpenAt(index, finding, now);
  const isSilent = isSilentlyWrong(finding);
  return h(
    "details",
    { class: `finding ${finding.severity}`, "data-finding": finding.kind, open: isOpen, key: String(isOpen) },
    h(
      "summary",
      null,
      h(
        "h3",
        null,
        h(Icon, { name: isHint ? "info" : "warning", size: 20 }),
        h("span", null, rich(say(`finding-${finding.kind}-title`, args))),
      ),
    ),
    h("p", null, rich(say(`finding-${finding.kind}`, args))),
    h(ShapeRows, { finding }),
    isSilent ? h(CorrectedRows, { index, finding }) : compared,
    children,
    h("div", { class: "finding-steps" }, stepButtons(index, finding, now, go)),
    isSilent ? [compared, h(CorrectedSource, { index, finding })] : null,
    now === null || go !== goTo ? null : h(Things, { index, finding, now }),
  );
}

/**
 * Whether the card of a finding is initially open at a step: if the finding concerns the step, or for a hint
 * only at the step where it first appears.
 * @param {Index} index
 * @param {Finding} finding
 * @param {State | null} now
 */
export function isOpenAt(index, finding, now) {
  if (isPresenting.value) return false; // cards are closed, but a presenter can open them
  const isFirst = now === null || stopOfFinding(index, finding) === now.k;
  return concerns(index, finding, now) && (finding.severity !== "hint" || isFirst);
}

/**
 * Whether a finding concerns a stop. A finding concerns the stop at which it first appears, the steps that
 * it lists, and the last stop of a failed run. It also concerns the stops at which a Node runs that saved
 * one of the finding's tensors.
 * @param {Index} index
 * @param {Finding} finding
 * @param {State | null} state
 */
export function concerns(index, finding, state) {
  if (
    state === null ||
    (state.is_last && index.ended.kind !== "finished") ||
    stopOfFinding(index, finding) === state.k
  )
    return true;
  if ((finding.steps ?? []).some((id) => index.stop_of.get(id) === state.k)) return true;
  if (state.stop.kind === "operator" || !finding.steps?.includes(state.stop.statement)) return false;
  const nodes = (finding.saved_tensors ?? []).map((id) => index.saved_tensors[id]?.node);
  return state.stop.node === null || nodes.length === 0 || nodes.includes(state.stop.node);
}

/**
 * A button for each step of a finding. The label states what happened, if known.
 * @param {Index} index
 * @param {Finding} finding
 * @param {State | null} now
 * @param {(k: number) => void} go
 */
function stepButtons(index, finding, now, go) {
  const stops = [...new Set((finding.steps ?? []).map((id) => index.stop_of.get(id) ?? -1))].filter(
    (k) => k >= 0,
  );
  return stops.map((k) => {
    const line = index.stops[k]?.place ?? 0;
    const role = partOf(finding, line);
    return button(
      { class: "link", key: k, "aria-current": now?.k === k ? "step" : undefined, onClick: () => go(k) },
      role === undefined
        ? say("to-step", { step: k + 1, line })
        : say("step-part", { part: say(role), line }),
    );
  });
}

/**
 * The id of the message that names the role of a line in a finding: `part-writer` for the argument
 * `writer_line`. Undefined if the line has no role, or several.
 * @param {Finding} finding
 * @param {number | string} line
 */
function partOf({ arguments: args = {} }, line) {
  const parts = Object.entries(args)
    .filter(([name, value]) => name.endsWith("_line") && value === line)
    .map(([name]) => `part-${name.replace("_line", "")}`);
  return parts.length === 1 ? parts.find(hasWords) : undefined;
}

/** The maximum number of items of each kind that a finding's card lists. */
const MOST = 3;

/**
 * Buttons for the tensors, storages and saved tensors that a finding concerns. Hover or focus highlights the
 * item in all panes. A click selects the item, or goes to the step at which the tensor was saved.
 * @param {{index: Index, finding: Finding, now: State}} props
 */
function Things({ index, finding, now }) {
  const saved = (finding.saved_tensors ?? [])
    .slice(0, MOST)
    .map((id) => index.saved_tensors[id])
    .filter((tensor) => tensor !== undefined);
  const tensors = [...new Set(finding.tensors ?? [])]
    .filter((id) => (now.tensors.get(id)?.labels.length ?? 0) > 0)
    .slice(0, MOST);
  const storages = [...new Set(finding.storages ?? [])]
    .filter((id) => now.storages.get(id)?.freed === false)
    .slice(0, MOST);
  if (saved.length + tensors.length + storages.length === 0) return null;
  return h(
    "div",
    { class: "finding-things", role: "group", "aria-label": say("card-things") },
    saved.map((tensor) =>
      button(
        {
          class: "thing",
          key: `s${tensor.id}`,
          "data-saved": tensor.id,
          onClick: () => goTo(stopAtTick(index, tensor.tick)),
        },
        rich(
          say("card-saved", { node: shortName(index.nodes[tensor.node]?.name ?? "?"), slot: tensor.name }),
        ),
      ),
    ),
    tensors.map((id) =>
      button(
        { class: "thing", key: `t${id}`, "data-tensor": id, onClick: () => select({ kind: "tensor", id }) },
        rich(`\`${now.tensors.get(id)?.labels[0]?.text}\``),
      ),
    ),
    storages.map((id) =>
      button(
        { class: "thing", key: `m${id}`, "data-storage": id, onClick: () => select({ kind: "storage", id }) },
        rich(`\`S${id}\``),
      ),
    ),
  );
}

/**
 * A comparison of a saved tensor's version and value when it was saved with those at the current step.
 * @param {{index: Index, saved: SavedTensor, tick: number}} props
 */
function Comparison({ index, saved, tick: now }) {
  const tick = Math.min(now, (saved.released ?? Infinity) - 1);
  const counter = at(index.version_counters[saved.version_counter ?? -1]?.version, tick);
  const contents = index.storages[saved.geometry.storage ?? -1]?.contents;
  const before = single(saved.geometry, at(contents, saved.tick));
  const after = single(saved.geometry, at(contents, tick));
  const hasVersion = saved.version !== null && typeof counter === "number";
  if (!hasVersion && before === undefined) return null;
  return h(
    "table",
    { class: "comparison" },
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        h("td", null),
        h("th", { scope: "col" }, say("when-saved")),
        h("th", { scope: "col" }, say("now")),
        h("td", null),
      ),
    ),
    h(
      "tbody",
      null,
      hasVersion
        ? h(Line, {
            name: say("its-counter"),
            before: `\`v${saved.version}\``,
            after: `\`v${counter}\``,
            isSame: saved.version === counter,
            kind: "counter",
          })
        : null,
      before !== undefined && after !== undefined
        ? h(Line, {
            name: say("value-in", { storage: `S${saved.geometry.storage}` }),
            before: `\`${before}\``,
            after: `\`${after}\``,
            isSame: before === after,
            kind: "value",
          })
        : null,
    ),
  );
}

/** @param {{name: string, before: string, after: string, isSame: boolean, kind: string}} props */
function Line({ name, before, after, isSame, kind }) {
  const verdict = say(isSame ? `same-${kind}` : `changed-${kind}`);
  return h(
    "tr",
    null,
    h("th", { scope: "row" }, rich(name)),
    h("td", null, rich(before)),
    h("td", null, rich(after)),
    h("td", { class: isSame ? "same" : "differs" }, h(Fragment, null, isSame ? "= " : "≠ ", verdict)),
  );
}
