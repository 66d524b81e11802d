/**
 * Owns the list of fixes in a finding's card. A fix that a trial confirmed has buttons to apply and to
 * compare it. A fix that did not work in its trial is shown as advice only. A fix takes the same space
 * before and after its trial, so that the layout does not move.
 */

import { h } from "../../../vendor/ui.js";
import { button, iconButton } from "../../panes/buttons.js";
import { loadChunk } from "../../panes/chunks.js";
import { plain, rich } from "../../panes/rich.js";
import { runWithStandIn } from "../../session/actions.js";
import { verdictOf } from "../../session/follow-ups.js";
import { say } from "../../state/words.js";

/** @import {Finding} from "../../run/trace.d.ts" */
/** @import {Verdict} from "../../run/trials.js" */
/** @import {Index} from "../../run/types.d.ts" */

/**
 * @typedef {object} Offer a fix, and its verdict
 * @property {string} words
 * @property {Verdict} verdict
 * @property {string} look
 * @property {() => void} apply puts it into the editor, and compares its run with the earlier one
 * @property {() => void} compare opens its run next to the shown one, without changing the editor
 */

/** @param {{index: Index, finding: Finding}} props */
export function Fixes({ index, finding }) {
  const { fixes = [], arguments: args } = finding;
  const verdicts = fixes.map((_, number) => verdictOf(index, finding, number));
  return h(
    "ul",
    { class: "finding-fixes" },
    fixes.map((fix, number) =>
      h(Offered, {
        key: number,
        words: say(`fix-${fix.title}`, args),
        verdict: verdicts[number] ?? "pending",
        look: `button${number === verdicts.indexOf("works") ? " primary" : ""}`,
        apply: () => {
          if (fix.source === index.source && fix.stand_in) runWithStandIn();
          else void loadChunk("compare").then(({ applyFix }) => applyFix(finding, number));
        },
        compare: () => void loadChunk("compare").then(({ compareFix }) => compareFix(finding, number)),
      }),
    ),
  );
}

/** @param {Offer} offer */
function Offered(offer) {
  const { verdict } = offer;
  return h(
    "li",
    { class: `fix ${verdict}`, "aria-live": "polite", "aria-atomic": "true" },
    h("span", { class: "fix-ways", "data-room": say("trial-try") }, waysOf(offer)),
    h(
      "span",
      { class: "fix-verdict", "data-room": say("trial-fails") },
      h("span", null, say(`trial-${verdict}`)),
    ),
  );
}

/**
 * The buttons for a fix. The text of the fix is at the same position with and without buttons.
 * @param {Offer} offer
 */
function waysOf({ words, verdict, look, apply, compare }) {
  if (verdict === "works") {
    const beside = say("compare-with-fix", { fix: plain(words) });
    return [
      button({ class: look, onClick: apply }, h("span", null, rich(words))),
      iconButton("beside", beside, { size: 17, class: `${look} icon-only`, onClick: compare }),
    ];
  }
  return [
    h("span", { class: "button fix-words" }, h("span", null, rich(words))),
    verdict === "untried" || verdict === "untold" || verdict === "unsteady"
      ? button(
          { "aria-label": say("trial-try-fix", { fix: plain(words) }), onClick: compare },
          say("trial-try"),
        )
      : null,
  ];
}
