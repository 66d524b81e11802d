/**
 * Owns the menu of questions that a teacher can ask the class about the next step. The questions are derived
 * from the trace.
 */

import { h, signal } from "../../../../vendor/ui.js";
import { button } from "../../../panes/buttons.js";
import { readStored, writeStored } from "../../../io/browser-storage.js";
import { questionsBetween } from "../../../run/questions/questions.js";
import { stateAt } from "../../../run/state-at.js";
import { staleBy, staleWhenNeeded, stopsOfWrites } from "../../../run/questions/walk-back.js";
import { Sheet } from "../../../panes/modal.js";
import { rich } from "../../../panes/rich.js";
import { goTo, played, state, step, stopFrom } from "../../../state/store.js";
import { say, tell } from "../../../state/words.js";
import { askRoom, lead } from "../api.js";
import { here } from "../here.js";
import { room } from "../room.js";
import { around, isOpen as isAsked, poll, tried } from "./poll.js";
import { words } from "./question-words.js";

/** @import {Question} from "../../../run/questions/asked.d.ts" */
/** @import {Index, Sentence, State} from "../../../run/types.d.ts" */

export const menuIsOpen = signal(false);
/** Whether the votes are shown while a question is open, as the teacher chose it for the next question. */
const isLive = signal(readStored("votes") === "live");

/** Opens the menu of questions, but only if the page shows the run of the room. */
export function openMenu() {
  const shown = room.peek()?.inStep;
  const isRun = shown?.shown.peek()?.alone?.index.header === played.peek()?.index.header;
  if (!isAsked.peek() && isRun && here.peek() !== null) menuIsOpen.value = true;
}

/** The button in the bar of the room that opens the menu of questions. */
export function AskButton() {
  return button(
    { title: `${say("key-ask")} (a)`, disabled: isAsked.value, onClick: openMenu },
    say("poll-button"),
  );
}

export function AskMenu() {
  const isOpen = menuIsOpen.value;
  const close = () => (menuIsOpen.value = false);
  return h(
    Sheet,
    { name: "poll-ask", title: say("poll-ask"), isOpen, close },
    isOpen ? h(Suggestions, { close }) : null,
  );
}

/** @param {{close: () => void}} props */
function Suggestions({ close }) {
  const found = suggestions();
  return [
    found.length === 0 ? h("p", { key: "none" }, say("poll-ask-none")) : null,
    h(
      "ul",
      { key: "list", class: "poll-suggestions", onKeyDown: byArrows },
      found.map((suggestion, number) =>
        h(
          "li",
          { key: number },
          button(
            {
              autofocus: number === 0,
              onClick: () => {
                close();
                void ask(suggestion);
              },
            },
            h("span", null, rich(tell(suggestion.sentence))),
          ),
        ),
      ),
    ),
    h(
      "label",
      { key: "live", class: "poll-live" },
      h("input", {
        type: "checkbox",
        checked: isLive.value,
        onChange: (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) => {
          isLive.value = currentTarget.checked;
          writeStored("votes", currentTarget.checked ? "live" : "hidden");
        },
      }),
      say("poll-live"),
    ),
    h("p", { key: "practice", class: "poll-practice" }, say("poll-practice-teacher")),
  ];
}

/**
 * @typedef {{question: Question, sentence: Sentence, at?: number}} Suggestion `at`: the stop to ask it at
 */

/**
 * The questions that can be asked at the shown step, the best first.
 * @returns {Suggestion[]}
 */
function suggestions() {
  const index = played.value?.index;
  const now = state.value;
  if (index === undefined || now === null) return [];
  return [...goingOn(index), ...aboutNext(index, now), ...searches(index)];
}

/**
 * @param {Index} index
 * @param {State} now
 * @returns {Suggestion[]}
 */
function aboutNext(index, now) {
  const next = stopFrom(1);
  if (next === step.value) return [];
  const around = { index, now, ahead: stateAt(index, next) };
  return questionsBetween(index, now.tick, around.ahead.tick).map((asked) => ({
    question: asked.question,
    sentence: words().wordingOf(around, asked),
  }));
}

/**
 * The next question when the class searches for the write that made a tensor stale. If the last question was
 * about a wrong write, the next one is about the write before it.
 * @param {Index} index
 * @returns {Suggestion[]}
 */
function goingOn(index) {
  const asked = poll.value;
  const { kind, saved = -1, until = -1 } = asked?.question ?? {};
  if (kind !== "stale_by" || around.value === null || isAsked.value || asked?.right?.[0]?.whether !== false)
    return [];
  const at = stopsOfWrites(index, saved).findLast((k) => (index.stops[k]?.tick ?? Infinity) < until);
  if (at === undefined) return [];
  const args = { ...words().slotOf(index, saved), line: index.stops[at]?.place ?? 0 };
  return [{ question: staleBy(index, saved, at), sentence: { id: "poll-search-on", args }, at }];
}

/**
 * @param {Index} index
 * @returns {Suggestion[]}
 */
function searches(index) {
  return staleWhenNeeded(index).flatMap((saved) => {
    const at = stopsOfWrites(index, saved).at(-1);
    const args = words().slotOf(index, saved);
    return at === undefined
      ? []
      : [{ question: staleBy(index, saved, at), sentence: { id: "poll-search", args }, at }];
  });
}

/**
 * Changes the room to the step of a question, then asks the class this question.
 * @param {Suggestion} suggestion
 */
async function ask({ question, at }) {
  if (at !== undefined) goTo(at);
  const [shown, now] = [room.peek(), here.peek()];
  if (shown === null || now === null) return;
  const { code, credentials } = shown;
  await tried(
    (async () => {
      await lead(code, credentials, { at: now.at });
      await askRoom(code, credentials, { question, shown: isLive.peek() ? "live" : "hidden" });
    })(),
  );
}

/** @param {KeyboardEvent & {currentTarget: HTMLElement}} event */
function byArrows(event) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  const buttons = [...event.currentTarget.querySelectorAll("button")];
  const at = buttons.findIndex((each) => each.matches(":focus"));
  buttons[(at + by + buttons.length) % buttons.length]?.focus();
}
