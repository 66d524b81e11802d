/**
 * Owns the two lines above two compared runs: how each run ended, and where the runs differ at this step.
 */

import { told } from "../../run/places.js";
import { h } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { differences, differing, outcome } from "./comparing.js";
import { editSide } from "./opening.js";
import { isPredicting } from "../../state/preferences.js";
import { verdictOf as trialVerdict } from "../../session/follow-ups.js";
import { headOf, isFixed, programOf } from "../../state/programs.js";
import { goTo, step, stepCount } from "../../state/store.js";
import { SIDES } from "./comparison.js";
import { language, say, tell } from "../../state/words.js";
import { Icon } from "../../panes/icons.js";
import { plain, rich } from "../../panes/rich.js";
import { LETTERS } from "./side.js";

/** @import {SideName} from "./comparison.js" */
/** @import {AppliedFix, ComparedRun, ComparedRuns} from "./comparison-replay.js" */
/** @import {Difference, Index} from "../../run/types.d.ts" */

/**
 * The maximum number of values in a verdict, of differences that a screen reader announces, and of
 * differences in the line that lists them.
 */
const MOST = { values: 2, spoken: 3, listed: 200 };

/** @param {{both: ComparedRuns}} props */
export function Verdicts({ both }) {
  return h(
    "div",
    { class: "verdicts" },
    SIDES.map((side) => h(Verdict, { key: side, side, run: both[side] })),
  );
}

/** @param {{side: SideName, run: ComparedRun}} props */
function Verdict({ side, run }) {
  const id = `${side}-title`;
  const isTold = !isPredicting.value || step.value === stepCount.value - 1;
  const [look, icon] = lookOf(run.index);
  const wrong = wrongOf(run.index);
  return h(
    "section",
    { class: `verdict of-${side}`, "aria-labelledby": id },
    h("span", { class: "letter large", "aria-hidden": "true" }, LETTERS[side]),
    h(
      "div",
      { class: "verdict-words" },
      h(
        "div",
        { class: "verdict-title" },
        h(
          "h2",
          { id },
          h("span", { class: "visually-hidden" }, `${LETTERS[side]} `),
          rich(titleOf(run)),
          isTold && wrong !== undefined
            ? h("span", { class: "wrong" }, rich(say(`finding-${wrong.kind}-title`, wrong.arguments)))
            : null,
        ),
        run.trial === undefined ? null : h(TrialVerdict, run.trial),
      ),
      isTold
        ? h(
            "p",
            { class: look },
            h(Icon, { name: icon, size: 16 }),
            h("span", null, rich(verdictOf(run.index, side))),
          )
        : h("p", null, say("compare-untold")),
    ),
    button(
      { "aria-label": say("compare-edit-side", { letter: LETTERS[side] }), onClick: () => editSide(side) },
      h(Icon, { name: "edit", size: 16 }),
      h("span", null, say("edit")),
    ),
  );
}

/**
 * The verdict on an applied fix: it works, it does not work, or it is being tested.
 * @param {AppliedFix} trial
 */
function TrialVerdict({ index, finding, number }) {
  const verdict = trialVerdict(index, finding, number);
  const words = say(`trial-${verdict === "untried" ? "unknown" : verdict}`);
  return h("p", { class: `trial ${verdict}`, role: "status" }, words);
}

/**
 * The CSS class and icon for the end of a run. A run that finished with a wrong result has the class of a
 * failed run.
 * @param {Index} index
 * @returns {[string, string]} class and icon
 */
function lookOf(index) {
  const { kind } = index.ended;
  if (kind === "finished") return wrongOf(index) === undefined ? ["well", "check"] : ["badly", "warning"];
  return kind === "cancelled" ? ["stopped", "stop"] : ["badly", "cross"];
}

/**
 * The first finding with severity "error" of a run that finished, such as a wrong result; undefined: there
 * is none.
 * @param {Index} index
 */
function wrongOf({ ended, findings }) {
  return ended.kind === "finished" ? findings.find(({ severity }) => severity === "error") : undefined;
}

/** @param {ComparedRun} run */
export function titleOf({ index, title }) {
  if (title !== null) return tell(title);
  const program = programOf(index.source);
  const lesson = headOf(program)?.title[language.value];
  if (program === null || lesson === undefined) return say("lesson-own");
  return isFixed(program) ? say("lesson-fixed", { title: lesson }) : lesson;
}

/**
 * A line that states how a run ended, and which values differ from the other run at the end, gradients first.
 * @param {Index} index
 * @param {SideName} side
 */
function verdictOf(index, side) {
  const { ended, end_arguments } = index;
  const end =
    ended.kind === "finished"
      ? say("verdict-finished")
      : ended.kind === "raised"
        ? say("verdict-raised", {
            type: ended.type,
            line: told(index, { line: ended.line ?? 0, file: ended.file }),
          })
        : say(`end-${ended.kind}`, end_arguments);
  const values = (outcome.value?.list ?? [])
    .filter(({ aspect }) => aspect === "values")
    .slice(0, MOST.values);
  return [
    end,
    ...values.map((difference) => `\`${difference.name}\` = ${sideInWords(difference, side)}`),
  ].join(" · ");
}

/**
 * The text for one side of a difference.
 * @param {Difference} difference
 * @param {SideName} side
 */
function sideInWords(difference, side) {
  return difference[side].id === "differs-plain"
    ? `\`${difference[side].args.text}\``
    : tell(difference[side]);
}

/** @param {Difference} difference */
function heading({ name, aspect }) {
  return aspect === "values" ? `\`${name}\`` : `\`${name}\` ${say(`differs-${aspect}`)}`;
}

/** The differences at this step, in one line that scrolls. */
export function Differences() {
  const list = differences.value?.list ?? [];
  const more = list.length - MOST.listed;
  const first = differing.value[0];
  const toFirst = isPredicting.value || first === undefined || first === step.value ? null : first;
  return h(
    "div",
    { class: "differences" },
    h(
      "span",
      { class: `count${list.length === 0 ? " none" : ""}` },
      h("span", { "aria-hidden": "true" }, differences.value === null ? "" : list.length === 0 ? "=" : "≠"),
      countOf(list),
    ),
    h(
      "ul",
      { tabIndex: 0, "aria-label": say("differs-title") },
      list
        .slice(0, MOST.listed)
        .map((difference) =>
          h(
            "li",
            { key: difference.key },
            rich(heading(difference)),
            " ",
            h("span", { class: "of" }, rich(sideInWords(difference, "left"))),
            h("b", { class: "unequal" }, "≠"),
            h("span", { class: "of" }, rich(sideInWords(difference, "right"))),
          ),
        ),
      more > 0 ? h("li", { key: "more" }, say("text-more", { count: more })) : null,
    ),
    toFirst === null
      ? null
      : button(
          { class: "button first-difference", onClick: () => goTo(toFirst) },
          say("differs-first", { step: toFirst + 1 }),
        ),
  );
}

/** @param {Difference[]} list */
function countOf(list) {
  if (differences.value === null) return say("differs-unknown");
  return list.length === 0 ? say("differs-none") : say("differs-count", { count: list.length });
}

/** The text about the differences at a step that screen readers announce. */
export function spokenOfDifferences() {
  const list = differences.value?.list ?? [];
  if (list.length === 0) return countOf(list);
  const sentences = list.slice(0, MOST.spoken).map((difference) =>
    say("differs-spoken", {
      name: heading(difference),
      left: sideInWords(difference, "left"),
      right: sideInWords(difference, "right"),
    }),
  );
  return plain(`${countOf(list)}: ${sentences.join(" ")}`);
}
