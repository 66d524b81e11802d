/** Owns the question to a room as this page shows it, and the actions of teacher and students on it. */

import { batch, computed, effect, signal, untracked } from "../../../../vendor/ui.js";
import { ApiError } from "../../../io/api.js";
import { isSmall, pane, show } from "../../../panes/tabs.js";
import { stateAt } from "../../../run/state-at.js";
import { goTo, held, heldStops, isPlaying, lastUpTo, played, state, toast } from "../../../state/store.js";
import { say, sayRefusal } from "../../../state/words.js";
import { changePoll, dropPoll, vote } from "../api.js";
import { hasProjector, room } from "../room.js";
import { answerTo, rememberAnswer } from "./mine.js";
import { isWalkedBack, pollOf, votesOf } from "./poll-state.js";

/** @import {Answer} from "../../../run/questions/asked.d.ts" */
/** @import {Poll} from "./poll-state.js" */

/**
 * The pane to which a phone switches when a question is asked, by the kind of the answer.
 * @type {Record<string, "code" | "graph" | "memory" | undefined>}
 */
const PANES = { cell: "memory", counter: "memory", node: "graph", line: "code" };

const told = computed(() => room.value?.link.state.value ?? null);

/** The question of the room, which stays after it is closed; null: there is none. */
export const poll = computed(() => pollOf(told.value?.poll));

/**
 * The id of the question whose answer this page revealed, because the room's state contains the reveal only
 * later.
 */
const revealedHere = signal(-1);

export const isRevealed = computed(() => {
  const asked = poll.value;
  if (asked === null) return false;
  // The server always sends the answer to the teacher. On the teacher's page, the answer therefore counts as
  // revealed when the question is closed.
  const isTold = room.value?.role === "teacher" ? !asked.open : asked.right !== null;
  return isTold || revealedHere.value === asked.id;
});

/** Whether a question is open, so that students can answer it. */
export const isOpen = computed(
  () => poll.value !== null && !isRevealed.value && room.value?.link.isGone.value === false,
);

/** The votes on the question, without the number for each answer if this page must not show it yet. */
export const votes = computed(() => {
  const asked = poll.value;
  const counted = votesOf(told.value?.votes);
  if (asked === null || counted?.poll !== asked.id) return null;
  const isShown = isRevealed.value || asked.shown === "live" || hasProjector.value;
  return isShown ? counted : { ...counted, tally: null };
});

/** Whether the page shows the run that the question is about. */
const isRunShown = computed(() => {
  const asked = room.value?.inStep.shown.value?.alone?.index.header;
  return asked !== undefined && asked === played.value?.index.header;
});

/**
 * The run that the question is about, and its states before and after the step in question. Null: the page
 * shows another run.
 */
export const around = computed(() => {
  const [asked, run] = [poll.value, played.value];
  if (asked === null || run === null || !isRunShown.value) return null;
  const { index } = run;
  const [now, ahead] = [asked.question.after, asked.question.until].map((tick) =>
    stateAt(index, Math.max(0, lastUpTo(index, tick))),
  );
  return now === undefined || ahead === undefined ? null : { index, now, ahead };
});

/** Whether the page shows the step at which the question is asked. */
export const isHere = computed(() => {
  const [asked, now, run] = [poll.value, state.value, around.value];
  if (asked === null || now === null || run === null) return false;
  const { after } = asked.question;
  return isOpen.value || (now.k >= Math.max(0, lastUpTo(run.index, after)) && now.tick <= run.ahead.tick);
});

/** The answer that this page gave to the question; null: none yet. */
export const given = computed(() => {
  const [shown, asked] = [room.value, poll.value];
  return shown === null || asked === null ? null : answerTo(shown.code, asked.id);
});

/**
 * Prevents, from now on, that the page shows the steps that reveal the answer of an open question.
 * @param {() => void} go called instead of a step forward
 */
export function holdWhileAsked(go) {
  let last = -1;
  effect(() => {
    const [shown, asked, isStanding] = [room.value, poll.value, isOpen.value];
    const header = shown?.inStep.shown.value?.alone?.index.header;
    untracked(() => {
      if (shown === null || asked === null || header === undefined || !isStanding) return release();
      held.value = { header, ...ticksOf(asked), go };
      if (heldStops.peek() === null) return; // another run is shown
      if (asked.id !== last) {
        isPlaying.value = false;
        shown.inStep.show({ at: asked.at });
        if (isSmall.peek()) show(PANES[asked.legal.form] ?? pane.peek());
        last = asked.id;
      }
    });
  });
}

/**
 * The range of ticks that the page may show while a question is open. While the class searches for a write,
 * earlier ticks than the question's are hidden, too.
 * @param {Poll} asked
 */
function ticksOf({ question: { kind, after, until } }) {
  return isWalkedBack(kind) ? { from: until, until } : { from: 0, until: after };
}

/** Allows all steps again after a question. If this page follows the room, it returns to the room's step. */
function release() {
  if (held.peek() === null) return;
  held.value = null;
  const shown = room.peek();
  const { at } = told.peek() ?? {};
  if (shown === null || at === undefined || revealedHere.peek() === poll.peek()?.id) return;
  if (shown.inStep.isFollowing.peek() && isRunShown.peek()) shown.inStep.show({ at });
}

/** @param {Answer} answer replaces this page's earlier answer */
export async function give(answer) {
  const [shown, asked] = [room.peek(), poll.peek()];
  if (shown === null || asked === null) return;
  const isTaken = await tried(vote(shown.code, shown.credentials, asked.id, answer));
  if (isTaken) rememberAnswer({ room: shown.code, poll: asked.id, answer });
}

/** Reveals the answer, and goes to the step that shows it. */
export async function reveal() {
  const [shown, asked] = [room.peek(), poll.peek()];
  if (shown === null || asked === null || !isOpen.peek()) return;
  if (!(await tried(changePoll(shown.code, shown.credentials, { id: asked.id, revealed: true })))) return;
  batch(() => {
    revealedHere.value = asked.id;
  });
  const { kind, after, until } = asked.question;
  const run = around.peek();
  if (run !== null) goTo(lastUpTo(run.index, isWalkedBack(kind) ? after : until));
}

/**
 * Switches, for the open question, between showing the votes immediately and hiding them until the answer is
 * revealed.
 */
export async function turnVotes() {
  const [shown, asked] = [room.peek(), poll.peek()];
  if (shown === null || asked === null || !isOpen.peek()) return;
  const next = asked.shown === "live" ? "hidden" : "live";
  await tried(changePoll(shown.code, shown.credentials, { id: asked.id, shown: next }));
}

/** @param {[Answer, number][]} hands by answer */
export async function countHands(hands) {
  const [shown, asked] = [room.peek(), poll.peek()];
  if (shown === null || asked === null) return false;
  return tried(changePoll(shown.code, shown.credentials, { id: asked.id, hands }));
}

/** Removes the question and all answers. */
export async function drop() {
  const shown = room.peek();
  if (shown !== null && poll.peek() !== null) await tried(dropPoll(shown.code, shown.credentials));
}

/**
 * Waits for a request and resolves to whether it succeeded. If it failed, shows the error.
 * @param {Promise<unknown>} what
 */
export async function tried(what) {
  try {
    await what;
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    toast.value = { text: error.status === 0 ? say("room-unheard") : sayRefusal(error) };
    return false;
  }
}
