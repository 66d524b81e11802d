/**
 * Owns the button "I am lost", which a student can press once per step and without a name, and the counts
 * per step that the teacher sees.
 */

import { h, signal } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { ApiError } from "../../io/api.js";
import { stepAddress, stopAt } from "../../run/stops/step-address.js";
import { played, state, toast } from "../../state/store.js";
import { say, sayRefusal } from "../../state/words.js";
import { tellLost } from "./api.js";

/** @import {Index} from "../../run/types.d.ts" */
/** @import {Room} from "./room.js" */

/**
 * The steps of a program at which the student pressed the button.
 * @type {import("../../../vendor/ui.js").Signal<{source: string, at: Set<string>}>}
 */
const said = signal({ source: "", at: new Set() });

function addressNow() {
  const [run, now] = [played.value, state.value];
  return run === null || now === null ? null : stepAddress(run.index, now.k);
}

function isSaid() {
  const at = addressNow();
  return at !== null && said.value.source === played.value?.index.source && said.value.at.has(at);
}

/** @param {Room} room */
export async function sayLost({ code, credentials }) {
  const [at, source] = [addressNow(), played.peek()?.index.source ?? ""];
  if (at === null || isSaid()) return;
  const before = said.peek().source === source ? said.peek().at : [];
  said.value = { source, at: new Set([...before, at]) };
  try {
    await tellLost(code, credentials, at);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    said.value = { source, at: new Set([...said.peek().at].filter((each) => each !== at)) };
    toast.value = { text: error.status === 0 ? say("room-unheard") : sayRefusal(error) };
  }
}

/** @param {{shown: Room}} props */
export function LostButton({ shown }) {
  const isTold = isSaid();
  return button(
    {
      class: "button room-lost",
      "aria-pressed": isTold ? "true" : "false",
      "aria-disabled": addressNow() === null ? "true" : undefined,
      title: `${say("key-lost")} (s)`,
      onClick: () => sayLost(shown),
    },
    say(isTold ? "room-lost-sent" : "room-lost"),
  );
}

/**
 * The number of students who are lost at the shown step. The text has the same width for every number, so
 * that the bar does not move.
 * @param {{shown: Room}} props
 */
export function LostCount({ shown }) {
  const at = addressNow();
  const count = shown.link.state.value.lost.find(([step]) => step === at)?.[1] ?? 0;
  return h("span", { class: `room-lost-count${count > 0 ? " some" : ""}` }, say("room-lost-here", { count }));
}

/**
 * For each stop of a run, the number of students who reported being lost at it.
 * @param {Index} index
 * @param {[string, number][]} lost
 */
export function lostAt(index, lost) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const [at, count] of lost) {
    const k = stopAt(index, at);
    if (k !== undefined) counts.set(k, (counts.get(k) ?? 0) + count);
  }
  return counts;
}
