/**
 * Reads the state of a room as the server sends it. A change replaces the whole values of some keys, so
 * changes can be merged. Invalid values are ignored. Pure.
 */

import { GRANULARITIES } from "../../run/stops/granularity.js";

/** @import {Granularity, Subject} from "../../run/types.d.ts" */

/** @typedef {{id: string, recording: string, title: string}} RoomSnippet */
/** @typedef {Subject | {kind: "node" | "line", id: number, cell?: undefined}} Followed the selection */
/**
 * Where the teacher points. `on`: an item such as `node 12`; null: the whole picture. `x`, `y`: relative
 * position in the item, from 0 to 1.
 * @typedef {{pane: "graph" | "memory" | "code", on: string | null, x: number, y: number}} Pointer
 */
/**
 * The state of a room. `at` and `view`: the step and its view, in the format of an address. `lost`: for each
 * step, the number of students who pressed "I am lost". Keys that the page's role may not see are absent.
 * @typedef {object} RoomState
 * @property {number} n the number of the last change
 * @property {RoomSnippet} [snippet]
 * @property {string} at
 * @property {string} view
 * @property {Pointer | null} pointer
 * @property {Followed | null} selection
 * @property {number} members
 * @property {boolean} ended
 * @property {string | null} opened_on the id of the link on which the room was opened
 * @property {unknown} poll
 * @property {unknown} votes
 * @property {unknown} variants
 * @property {[string, number][]} lost
 */

/** @type {RoomState} */
export const UNKNOWN = {
  n: 0,
  at: "step=1",
  view: "",
  pointer: null,
  selection: null,
  members: 0,
  ended: false,
  opened_on: null,
  poll: null,
  votes: null,
  variants: null,
  lost: [],
};

/** The keys of the state that this page reads. */
const KEYS = /** @type {const} */ ([
  "snippet",
  "at",
  "view",
  "pointer",
  "selection",
  "members",
  "ended",
  "opened_on",
  "poll",
  "votes",
  "variants",
  "lost",
]);

/**
 * The state of a room after an event or a response of the server. Values that are older than the state are
 * ignored.
 * @param {RoomState} was
 * @param {unknown} told
 * @returns {RoomState}
 */
export function told(was, told) {
  if (typeof told !== "object" || told === null) return was;
  const news = /** @type {Record<string, unknown>} */ (told);
  const { n } = news;
  if (typeof n !== "number" || n < was.n) return was;
  const known = KEYS.flatMap((key) => (key in news ? [[key, news[key]]] : []));
  return { ...was, ...Object.fromEntries(known), n };
}

const AT = /^step=([1-9]\d{0,8})(?:&by=(\w+))?$/;

/**
 * The step in an address, counted from 0, with its granularity; null: the address is not valid.
 * @param {string} at
 * @returns {{step: number, by: Granularity} | null}
 */
export function readAt(at) {
  const [, number, written] = AT.exec(at) ?? [];
  const by = GRANULARITIES.find((each) => each === (written ?? "node"));
  return number === undefined || by === undefined ? null : { step: Number(number) - 1, by };
}

/**
 * @param {number} step from 0
 * @param {Granularity} by
 */
export function writtenAt(step, by) {
  return `step=${step + 1}${by === "node" ? "" : `&by=${by}`}`;
}

/**
 * Removes the teacher's language and zoom from a view, because a class does not follow them.
 * @param {string} view
 */
export function followedView(view) {
  return view
    .split("&")
    .filter((part) => !/^(lang|zoom)=/.test(part))
    .join("&");
}

/** @typedef {{id: number, link: string}} Picked a class of variants, and the link to one variant in it */

/**
 * The variants that the teacher picked to compare in front of the class: one variant to compare with the
 * room's snippet, or two to compare with each other.
 * @param {RoomState} state
 * @returns {Picked[]}
 */
export function pickedIn({ variants }) {
  const { picked, hidden } = /** @type {{picked?: unknown, hidden?: unknown}} */ (variants ?? {});
  if (!Array.isArray(picked) || hidden === true) return [];
  const isOne = (/** @type {Partial<Picked> | null} */ each) =>
    Number.isSafeInteger(each?.id) && /^[A-Za-z0-9]{1,16}$/.test(each?.link ?? "");
  return picked.filter(isOne).slice(0, 2);
}

/**
 * Whether two values of the state are equal.
 * @param {unknown} one
 * @param {unknown} other
 */
export function isSame(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}
