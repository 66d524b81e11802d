/**
 * Owns the strip that is shown after a fix was put into the editor: the lines that the fix changes, and
 * buttons for what to do next.
 */

import { h, useState } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { isCopied } from "../../session/actions.js";
import { say } from "../../state/words.js";
import { comparison } from "./comparing.js";
import { linesOf, unified } from "./line-diff.js";

/** @import {ComparedRuns} from "./comparison-replay.js" */
/** @import {DiffLine} from "./line-diff.js" */

/** @param {{both: ComparedRuns}} props */
export function FixStrip({ both }) {
  const shown = comparison.value;
  const undo = shown?.before.undo;
  if (shown === null || undo === undefined) return null;
  const lines = linesOf(both.left.index.source, both.right.index.source);
  return h(
    "section",
    { class: "fix-strip", "aria-label": say("diff-of-fix") },
    h(
      "pre",
      { tabIndex: 0, role: "group", "aria-label": say("diff-of-fix") },
      lines.filter(({ sign }) => sign !== " ").map((line, number) => h(Changed, { line, key: number })),
    ),
    h(
      "div",
      { class: "fix-ways-on" },
      button({ class: "button primary keep-fix", onClick: () => shown.leave() }, say("keep-fix")),
      button({ class: "button undo-fix", onClick: undo }, say("undo-fix")),
      h(CopyDiff, { text: unified(lines) }),
    ),
  );
}

/** @param {{line: DiffLine}} props */
function Changed({ line: { sign, text, left, right } }) {
  const isOld = sign === "-";
  return h(
    isOld ? "del" : "ins",
    null,
    h("span", { class: "line-number", "aria-hidden": "true" }, (isOld ? left : right) + 1),
    `${isOld ? "−" : "+"} ${text}\n`,
  );
}

/**
 * The button that copies the diff. The button has the same width before and after a press.
 * @param {{text: string}} props
 */
function CopyDiff({ text }) {
  const [copied, setCopied] = useState(false);
  if (navigator.clipboard === undefined) return null;
  const copy = async () => setCopied(await isCopied(text));
  return button(
    { class: "button copy-diff", onClick: copy, "data-room": say("diff-copied") },
    h("span", { role: "status" }, say(copied ? "diff-copied" : "diff-copy")),
  );
}
