/**
 * Owns the panel that shows a teacher's question to a room. While the question is open, the panel replaces
 * the story. After the answer is revealed, the panel is above the story.
 */

import { codeOf } from "../../../run/places.js";
import { h } from "../../../../vendor/ui.js";
import { button } from "../../../panes/buttons.js";
import { isRight } from "../../../run/questions/answers.js";
import { Icon } from "../../../panes/icons.js";
import { plain, rich } from "../../../panes/rich.js";
import { hasCharacterKeys } from "../../../state/preferences.js";
import { heldStops } from "../../../state/store.js";
import { isSmall } from "../../../panes/tabs.js";
import { say, tell } from "../../../state/words.js";
import { room } from "../room.js";
import { Hands, handsAreOpen, turnHands } from "./hands.js";
import { around, drop, give, given, isHere, isOpen, isRevealed, poll, reveal, turnVotes } from "./poll.js";
import { isWalkedBack } from "./poll-state.js";
import { words } from "./question-words.js";
import { Tally } from "./tally.js";
import { Versions } from "./versions.js";

/** @import {Around} from "../../../panes/chunks.js" */
/** @import {Sentence} from "../../../run/types.d.ts" */
/** @import {Poll} from "./poll-state.js" */

/**
 * The maximum number of correct answers that the sentence about them lists. The bars and the pictures
 * show more.
 */
const MOST_TOLD = 6;

/**
 * The panel while the question is open. On a phone this is only a note, because PhonePanel below the picture
 * shows the question.
 */
export function Panel() {
  return isSmall.value ? h("p", { class: "poll-practice" }, say("poll-below")) : h(Asked, null);
}

/**
 * The panel on a phone. On a phone the panel is below the shown pane, so that the question and the items
 * that can be clicked as its answer are visible together.
 */
export function PhonePanel() {
  const isShown = isSmall.value && isOpen.value && heldStops.value !== null;
  return isShown
    ? h("section", { class: "poll-dock", "aria-label": say("poll-title") }, h(Asked, null))
    : null;
}

function Asked() {
  const [asked, run] = [poll.value, around.value];
  const role = room.value?.role;
  if (asked === null || run === null) return null;
  return h(
    "div",
    { class: `question poll ${role}` },
    isWalkedBack(asked.question.kind) ? h(Versions, { asked, run }) : h(NextLine, { run }),
    h("p", { class: "asked", id: "asked" }, rich(tell(words().wordingOf(run, asked)))),
    role === "member" ? h(Vote, { asked, run, key: asked.id }) : null,
    role === "teacher" ? [h(Tools, { key: "tools", asked }), h(Hands, { key: "hands", asked, run })] : null,
    h(Tally, { asked, run }),
    h("p", { class: "poll-practice" }, say("poll-practice")),
  );
}

/** @param {{run: Around}} props */
function NextLine({ run: { index, ahead } }) {
  return h("pre", null, h("code", null, codeOf(index, ahead.stop, true)));
}

/**
 * The hint, by form of the answer, for answers that are chosen from a list.
 * @type {Record<string, string | undefined>}
 */
const HINTS = { whether: "answer-hint-choice", name: "answer-hint-choice" };

/** @param {{asked: Poll, run: Around}} props */
function Vote({ asked, run }) {
  const { AnswerForm, answerOf } = words();
  if (!asked.open) return h("p", { class: "poll-closed" }, say("poll-closed"));
  const answer = given.value;
  return [
    h(AnswerForm, {
      key: "form",
      around: run,
      asked,
      names: asked.names,
      hint: HINTS[asked.legal.form],
      give,
    }),
    h(
      "p",
      { key: "given", class: `poll-given${answer === null ? "" : " is-given"}`, role: "status" },
      answer === null
        ? say("poll-not-given")
        : [
            h(Icon, { name: "check", size: 18 }),
            " ",
            plain(tell({ id: "poll-given", args: { answer: answerOf(run, asked, answer) } })),
          ],
    ),
  ];
}

/** @param {{asked: Poll}} props */
function Tools({ asked }) {
  return h(
    "div",
    { class: "poll-tools" },
    tool("poll-reveal", "r", reveal, { primary: true }),
    tool(asked.shown === "live" ? "poll-hide" : "poll-show", "v", turnVotes),
    tool("poll-hands", "y", turnHands, { isPressed: handsAreOpen.value }),
    tool("poll-drop", "q", drop),
  );
}

/**
 * @param {string} id
 * @param {string} key
 * @param {() => unknown} act
 * @param {{primary?: boolean, isPressed?: boolean}} [look]
 */
function tool(id, key, act, { primary = false, isPressed } = {}) {
  return button(
    {
      class: `button${primary ? " primary" : ""}`,
      "aria-pressed": isPressed,
      onClick: act,
    },
    say(id),
    hasCharacterKeys.value ? [" ", h("kbd", { "aria-hidden": "true" }, key)] : null,
  );
}

/** The panel after the answer is revealed: the question, the correct answer, and the votes. */
export function Outcome() {
  const [asked, run, answer] = [poll.value, around.value, given.value];
  if (asked === null || run === null || asked.right === null || !isRevealed.value || !isHere.value)
    return null;
  const { answerOf, wordingOf } = words();
  const isIt = answer !== null && isRight({ ...asked, right: asked.right }, answer);
  const truth = asked.right.slice(0, MOST_TOLD).map((right) => answerOf(run, asked, right));
  /** @type {Sentence} */
  const said =
    answer === null
      ? { id: "poll-truth", args: { truth } }
      : isIt
        ? { id: "answer-right", args: { truth } }
        : { id: "answer-wrong", args: { given: answerOf(run, asked, answer), truth } };
  return h(
    "div",
    { class: `answer-result poll ${answer === null || isIt ? "is-right" : "not-right"}` },
    h(Icon, { name: answer === null || isIt ? "check" : "cross", size: 18 }),
    h(
      "div",
      null,
      h("p", null, rich(tell(wordingOf(run, asked)))),
      h("p", { role: "status" }, rich(tell(said))),
      h(Tally, { asked, run }),
    ),
  );
}

export function title() {
  return say(isWalkedBack(poll.value?.question.kind) ? "poll-title-search" : "poll-title");
}

/** The text about an open question that screen readers announce. */
export function spoken() {
  const [asked, run] = [poll.value, around.value];
  if (asked === null || run === null) return "";
  return `${title()} ${plain(tell(words().wordingOf(run, asked)))}`;
}
