/**
 * Adds the elements for questions to a room to the page: the panel in place of the story, the marks over the
 * pictures, and the teacher's menu.
 */

import { h } from "../../../../vendor/ui.js";
import { loadStylesheet } from "../../../io/stylesheets.js";
import { posedPage } from "../../../panes/story/question.js";
import { room } from "../room.js";
import { AskMenu, openMenu } from "./ask.js";
import { turnHands } from "./hands.js";
import { Heat } from "./heat.js";
import { Outcome, Panel, PhonePanel, spoken, title } from "./panel.js";
import { keepWhatIsRevealed } from "./keeping.js";
import { drop, holdWhileAsked, isOpen, reveal, turnVotes } from "./poll.js";
import { loadQuestionWords } from "./question-words.js";

/**
 * The actions that the projected window requests from the teacher's window. The projected window cannot
 * perform them, because its secret only permits reading.
 * @type {Map<unknown, () => Promise<void>>}
 */
const ACTS = new Map([
  ["reveal", reveal],
  ["votes", turnVotes],
]);
/** @type {BroadcastChannel | null} */
let channel = null;

/** Prepares the page for questions to the room. The preparation is done once and not undone. */
export async function preparePolls() {
  const css = loadStylesheet(new URL("../../../../css/polls.css", import.meta.url)).catch(() => undefined);
  await Promise.all([loadQuestionWords(), css]);
  const shown = room.peek();
  if (shown !== null && shown.role !== "member" && "BroadcastChannel" in window) {
    channel = new BroadcastChannel(`stepgrad-room-${shown.code}-polls`);
    if (shown.role === "teacher") channel.addEventListener("message", ({ data }) => void ACTS.get(data)?.());
  }
  posedPage.value = { Panel, Outcome, title, spoken };
  holdWhileAsked(() => act("reveal"));
  if (shown?.role === "teacher") keepWhatIsRevealed();
}

/** @param {string} what */
function act(what) {
  const role = room.peek()?.role;
  if (role === "teacher") void ACTS.get(what)?.();
  if (role === "projector") channel?.postMessage(what);
}

export function Polls() {
  const role = room.value?.role;
  return [
    h(Heat, { key: "heat" }),
    h(PhonePanel, { key: "phone" }),
    role === "teacher" ? h(AskMenu, { key: "ask" }) : null,
  ];
}

/** @type {Record<string, {keys: string[], roles: string[], act: () => unknown}>} */
export const POLL_KEYS = {
  "key-ask": { keys: ["a"], roles: ["teacher"], act: openMenu },
  "key-reveal": { keys: ["r"], roles: ["teacher", "projector"], act: () => act("reveal") },
  "key-votes": { keys: ["v"], roles: ["teacher", "projector"], act: () => act("votes") },
  "key-hands": { keys: ["y"], roles: ["teacher"], act: turnHands },
  "key-drop": { keys: ["q"], roles: ["teacher"], act: () => isOpen.peek() && drop() },
};
