/** Owns the collection of a class's variants as this page shows it, and the teacher's actions on it. */

import { computed, signal } from "../../../../vendor/ui.js";
import { ApiError } from "../../../io/api.js";
import { linkTo } from "../../../session/links.js";
import { isPresenting } from "../../../state/preferences.js";
import { say, sayRefusal } from "../../../state/words.js";
import * as api from "./api.js";
import { forClass, sourceIn, variantsOf, withAhead } from "./variants-state.js";

/** @import {ReadonlySignal, Signal} from "../../../../vendor/ui.js" */
/** @import {Room} from "../room.js" */
/** @import {Ahead} from "./variants-state.js" */

/** For this time in ms, an action on this page takes precedence over the room's value. */
const OWN_MS = 3_000;

/** @type {Signal<ReadonlySignal<Room | null> | null>} */
const given = signal(null);
export const room = computed(() => given.value?.value ?? null);

/** @param {ReadonlySignal<Room | null>} of the room of the page */
export function provideRoom(of) {
  given.value = of;
}

/** @type {Signal<Ahead | null>} */
const ahead = signal(null);

export const variants = computed(() => {
  const shown = room.value;
  if (shown === null || shown.link.isGone.value) return null;
  return withAhead(variantsOf(shown.link.state.value.variants), ahead.value);
});

/**
 * Whether the class cannot see this page, because it is the teacher's and not in presenter mode. Only such a
 * page shows students' code and output.
 */
export const isPrivate = computed(() => room.value?.role === "teacher" && !isPresenting.value);

/** The outcomes of variants that this page may show. */
export const shownClasses = computed(() => {
  const now = variants.value;
  if (now === null) return { rows: null, others: 0 };
  return isPrivate.value ? { rows: now.classes, others: now.others ?? 0 } : forClass(now);
});

/** Whether the class sees the picked outcomes. */
export const isCompared = computed(() => {
  const now = variants.value;
  return now !== null && !now.hidden && now.picked.length > 0;
});

/** The text that states why the last action failed; "": it succeeded. */
export const refusal = signal("");

/**
 * The last request. The next request is sent after this one ends, so that the last action takes effect.
 * @type {Promise<unknown>}
 */
let last = Promise.resolve();
let waiting = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let later;

/**
 * Performs an action and resolves to whether it succeeded. If it failed, shows the error.
 * @param {(room: Room) => Promise<unknown>} what
 */
async function tried(what) {
  const shown = room.peek();
  if (shown === null) return false;
  const done = last.then(() => what(shown));
  last = done.catch(() => undefined);
  waiting += 1;
  try {
    await done;
    refusal.value = "";
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    refusal.value = error.status === 0 ? say("room-unheard") : sayRefusal(error);
    return false;
  } finally {
    waiting -= 1;
  }
}

export function collect() {
  return tried(api.collect);
}

export function end() {
  return tried(api.drop);
}

/** Closes the collection, or reopens it. */
export function turnOpen() {
  const now = variants.peek();
  return now === null ? false : turn({ id: now.id, open: !now.open });
}

/**
 * Hides the outcomes and their comparison from the class, or shows the outcomes to the class.
 * @param {boolean} hidden
 */
export function hide(hidden) {
  const now = variants.peek();
  return now === null ? false : turn({ id: now.id, hidden }, hidden ? { picked: [] } : {});
}

/**
 * @param {Ahead} news
 * @param {{picked?: []}} [more]
 */
async function turn(news, more = {}) {
  const before = ahead.peek();
  ahead.value = { ...(before?.id === news.id ? before : {}), ...news };
  const isDone = await tried((shown) => api.change(shown, { ...news, ...more }));
  if (!isDone) ahead.value = null;
  clearAheadLater();
}

/** Clears `ahead`, the values set on this page, when no request is in progress any more. */
function clearAheadLater() {
  clearTimeout(later);
  later = setTimeout(() => {
    if (waiting > 0) clearAheadLater();
    else ahead.value = null;
  }, OWN_MS);
}

/** Ends the comparison. */
export function unpick() {
  const now = variants.peek();
  return now === null ? false : tried((shown) => api.change(shown, { id: now.id, picked: [] }));
}

/** An outcome to show to the class. `source`: one of its variants; null: the most frequent variant. */
/** @typedef {{id: number, source: string | null}} Chosen */

/**
 * The links behind which variants of this collection are stored, by the seed, stand-in setting and source of
 * their run.
 * @type {Map<string, string>}
 */
const links = new Map();

/**
 * The joined links that this page picked for a comparison. The page that picked them leads the room to the
 * first difference.
 */
let pickedHere = "";

/**
 * Whether this page picked the links of a comparison. True is returned only once for each pick.
 * @param {string} key
 */
export function takePicked(key) {
  const isIt = pickedHere === key;
  if (isIt) pickedHere = "";
  return isIt;
}

/**
 * Shows the class a comparison: of one outcome with the room's snippet, or of two outcomes. The variants of
 * these outcomes are first stored behind links.
 * @param {Chosen[]} chosen
 */
export function pick(chosen) {
  const now = variants.peek();
  if (now === null || chosen.length === 0) return false;
  return tried(async (shown) => {
    const picked = [];
    for (const { id, source } of chosen) {
      const { variants: told, ...run } = await api.variantsIn(shown, id);
      const text = sourceIn(told, source);
      if (text === null) throw new ApiError(404, "unknown_class");
      picked.push({ id, link: await linkOf({ ...run, source: text }, shown) });
    }
    pickedHere = picked.map(({ link }) => link).join();
    shown.inStep.follow();
    await api.change(shown, { id: now.id, picked });
  });
}

/**
 * @param {{source: string, seed: number, stand_in: boolean}} run
 * @param {Room} shown
 */
async function linkOf(run, shown) {
  const key = JSON.stringify([run.seed, run.stand_in, run.source]);
  const id = links.get(key) ?? (await linkTo(run, shown.link.state.peek().snippet?.id ?? null));
  links.set(key, id);
  return id;
}
