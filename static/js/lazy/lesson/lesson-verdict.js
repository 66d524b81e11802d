/**
 * Owns the view of a lesson after its run: whether the prediction was correct, the verdict on the claim,
 * the reason, and the proof.
 */

import { h, useEffect, useRef } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { loadChunk } from "../../panes/chunks.js";
import { Icon } from "../../panes/icons.js";
import { rich } from "../../panes/rich.js";
import { played } from "../../state/store.js";
import { say, withTerms } from "../../state/words.js";
import {
  attempt,
  isAnswerShown,
  isVerdict,
  lesson,
  look,
  selectedProof,
  prediction,
  shownProgram,
  showAnswer,
  toStory,
  toVerdict,
} from "./lesson.js";
import { choiceOf, LETTERS, NextLesson, wordsOf } from "./lesson-panel.js";
import { NowTry } from "./now-try.js";
import { isConfirmed } from "./proofs.js";

/** @import {Program, Proof} from "../../io/boot.js" */
/** @import {Index} from "../../run/types.d.ts" */

const ICONS = { right: "check", wrong: "cross", half: "theme" };

/**
 * Whether the pane of the story shows the lesson's verdict, or the result of its task, instead of the story.
 */
export function isShown() {
  return isVerdict.value && (shownProgram.value !== null || attempt.value !== null);
}

/** The button that switches the pane between the story of a run and the verdict of the lesson. */
export function Switch() {
  if (shownProgram.value === null) return h(TrySwitch, null);
  const to = isVerdict.value
    ? "tab-story"
    : isAnswerShown.value || shownProgram.value !== lesson.snippet
      ? "lesson-verdict"
      : "lesson-tell";
  return button(
    { class: "button verdict-switch", onClick: isVerdict.value ? toStory : showAnswer },
    h(Icon, { name: isVerdict.value ? "back" : "course", size: 15 }),
    h("span", null, say(to)),
  );
}

/**
 * The button that switches the pane between the story of the visitor's own run and the result of the
 * lesson's task.
 */
function TrySwitch() {
  if (attempt.value === null || !isAnswerShown.value) return null;
  return button(
    { class: "button try-switch", onClick: isVerdict.value ? toStory : toVerdict },
    h(Icon, { name: isVerdict.value ? "back" : "course", size: 15 }),
    h("span", null, say(isVerdict.value ? "tab-story" : "lesson-now-try")),
  );
}

export function Verdict() {
  const root = useRef(/** @type {HTMLDivElement | null} */ (null));
  const [ranProgram, index] = [shownProgram.value, played.value?.index];
  useEffect(() => {
    // move the focus to the story, because the pressed button no longer exists
    const story = /** @type {HTMLElement | null | undefined} */ (root.current?.closest(".story"));
    if (document.activeElement === document.body) story?.focus({ preventScroll: true });
  }, []);
  if (index === undefined) return null;
  if (ranProgram === null)
    return h(
      "div",
      { class: "lesson-verdict", ref: root },
      h(NowTry, null),
      h("div", { class: "lesson-ways" }, h(NextLesson, { isPrimary: true })),
    );
  return h(
    "div",
    { class: "lesson-verdict", ref: root },
    ranProgram === lesson.snippet
      ? [
          h(Answer, { key: "answer" }),
          h(Claim, { key: "claim" }),
          h("p", { class: "why", key: "why" }, rich(withTerms(wordsOf(lesson.why)))),
        ]
      : h("p", { class: "why" }, say("lesson-right-words")),
    h("h3", null, say("lesson-proof")),
    h(
      "ul",
      { class: "proofs" },
      ranProgram.proof.map((proof) =>
        h(ProofRow, { proof, index, key: `${proof.line} ${proof.expression}` }),
      ),
    ),
    h(NowTry, null),
    h(Ways, { ranProgram }),
  );
}

/** The answer to the lesson's question, and whether the visitor predicted it. */
function Answer() {
  const said = prediction.value;
  const how = said === null ? "untold" : said === lesson.answer ? "right" : "wrong";
  return h(
    "div",
    { class: `answer said-${how}` },
    h(
      "p",
      { class: "answer-words" },
      how === "untold" ? null : h(Icon, { name: how === "right" ? "check" : "cross", size: 17 }),
      say(`lesson-predicted-${how}`, said === null ? {} : { letter: LETTERS[said - 1] ?? "" }),
    ),
    h(
      "p",
      { class: "answer-choice" },
      h("span", { class: "choice-letter", "aria-hidden": "true" }, LETTERS[lesson.answer - 1]),
      h("span", { class: "choice-words" }, choiceOf(lesson.choices[lesson.answer - 1] ?? "")),
    ),
  );
}

function Claim() {
  return h(
    "div",
    { class: `claim-verdict is-${lesson.verdict}` },
    h(
      "p",
      { class: "claim-word" },
      h(Icon, { name: ICONS[lesson.verdict], size: 16 }),
      say(`lesson-claim-${lesson.verdict}`),
    ),
    h("p", { class: "claim-words" }, "“", rich(wordsOf(lesson.claim)), "”"),
  );
}

/** @param {{proof: Proof, index: Index}} props */
function ProofRow({ proof, index }) {
  const confirmed = isConfirmed(index, proof);
  return h(
    "li",
    null,
    button(
      {
        class: "proof",
        "aria-pressed": selectedProof.value === proof ? "true" : "false",
        onClick: () => look(proof),
      },
      h("code", null, proof.expression),
      h(
        "span",
        { class: "proof-value" },
        h("span", { "aria-hidden": "true" }, "→ "),
        h("code", null, proof.value),
      ),
      h(
        "span",
        { class: `proof-from ${confirmed ? "confirmed" : "stated"}` },
        confirmed ? h(Icon, { name: "check", size: 13 }) : null,
        say(confirmed ? "lesson-seen" : "lesson-stated"),
        h("span", { class: "proof-line" }, say("line", { line: proof.line })),
      ),
    ),
  );
}

/** @param {{ranProgram: Program}} props */
function Ways({ ranProgram }) {
  const beside = async () => (await loadChunk("compare")).comparePrograms(lesson);
  return h(
    "div",
    { class: "lesson-ways" },
    lesson.fixed === undefined
      ? null
      : [
          button(
            { key: "beside", onClick: beside },
            h(Icon, { name: "beside", size: 15 }),
            say("lesson-beside"),
          ),
          ranProgram === lesson.snippet
            ? h(
                "a",
                { class: "button", key: "fixed", href: `/lessons/${lesson.slug}/fixed` },
                say("lesson-open-fixed"),
              )
            : h("a", { class: "button", key: "back", href: `/lessons/${lesson.slug}` }, say("lesson-back")),
        ],
    h(NextLesson, { isPrimary: true }),
  );
}
