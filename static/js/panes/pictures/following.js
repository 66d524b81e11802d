/**
 * Scrolls a picture at each step such that the step's items are visible, in a short motion. A position that
 * the visitor scrolled to stays until a step changes something invisible.
 */

import { useEffect, useLayoutEffect, useMemo, useRef } from "../../../vendor/ui.js";
import { isInSight, nearestShowing, planOf } from "../../layout/scroll-plan.js";
import { stateAt } from "../../run/state-at.js";

/** @import {Box, Index, State} from "../../run/types.d.ts" */
/** @import {Place, Size, Wanted} from "../../layout/scroll-plan.js" */
/** @import {Host} from "./camera.js" */

/** The duration in ms of the motion to a new scroll position. */
const MOTION = 180;
/** A step that follows the previous step within this time in ms is shown without a motion. */
const FAST = 300;
/**
 * The maximum length of a motion, as a multiple of the pane's size. If the distance is longer, the motion
 * starts this far from its target.
 */
const FARTHEST = 1.5;

/**
 * What a picture needs to follow the run. `wanted` returns the boxes that should be visible at a step.
 * `elsewhere` returns, for the visible part, the box to show at a step without such boxes. `room`: width and
 * height of the pane in px; "": unknown. `fitting`: the scale without the visitor's zoom.
 * @template {Size} Layout
 * @typedef {{
 *   index: Index,
 *   now: State,
 *   layout: Layout,
 *   wanted: (index: Index, layout: Layout, state: State) => Wanted,
 *   elsewhere: (view: Box) => Box | null,
 *   scale: number,
 *   fitting: number,
 *   room: string,
 *   isShown: boolean,
 * }} Followed
 */

/**
 * Scrolls a picture to the items of each step, before the picture is drawn. Returns the handler for scroll
 * events, and a function that scrolls to a box when the visitor asks for it.
 * @template {Size} Layout
 * @param {Host} box
 * @param {Followed<Layout>} followed
 * @param {() => boolean} isFolding whether a group was just folded or unfolded, and stays in place
 */
export function useFollowing(box, followed, isFolding) {
  const { index, now, layout, wanted, elsewhere, scale, fitting, room, isShown } = followed;
  const motion = useRef(/** @type {Motion | null} */ (null));
  motion.current ??= new Motion(box);
  const { current: moved } = motion;
  const pane = paneOf(room, scale);
  const plan = useMemo(
    () => planOf((k) => wanted(index, layout, stateAt(index, k)), index.stops.length, pane, layout),
    [index, layout, scale, room],
  );
  const before = useRef({ now, layout, scale, fitting, room, isShown: false, at: -Infinity });
  const seen = useRef({ layout, scale, room });
  useLayoutEffect(() => {
    const was = before.current;
    const at = performance.now();
    before.current = { now, layout, scale, fitting, room, isShown, at: was.now === now ? was.at : at };
    if (isFolding() || (was.scale !== scale && was.fitting === fitting)) moved.isByHand = true;
    const isSame = was.layout === layout && was.fitting === fitting && was.room === room && was.isShown;
    const isStep = was.now !== now || was.fitting !== fitting || !was.isShown;
    if (room === "" || !isShown || (moved.isByHand && !isStep)) return;
    const planned = plan(now.k);
    const place = moved.isByHand ? moved.place(scale) : planned.place;
    const other = planned.subjects.length > 0 ? null : elsewhere({ ...pane, ...place });
    const subjects = other === null ? planned.subjects : [other];
    const isInPlace = (/** @type {Place} */ place) =>
      subjects.length === 0 || subjects.some((subject) => isInSight(subject, place, pane));
    if (moved.isByHand && isInPlace(place)) return;
    const target =
      other === null || isInPlace(planned.place)
        ? planned.place
        : nearestShowing(other, planned.place, pane, layout);
    moved.to({ x: target.x * scale, y: target.y * scale }, isSame && at - was.at > FAST, !isSame);
  }, [layout, now, scale, fitting, room, isShown]);
  useEffect(() => () => moved.stop(), []);
  const show = (/** @type {Box} */ asked) => {
    const { x, y } = nearestShowing(asked, moved.place(scale), pane, layout);
    moved.to({ x: x * scale, y: y * scale }, true, true);
    moved.isByHand = true;
  };
  /**
   * The scroll position of the pane in px. The position is not read from the page, because only this code
   * scrolls the pane during a step.
   */
  const place = () => {
    const was = seen.current;
    seen.current = { layout, scale, room };
    const isSame = was.layout === layout && was.scale === scale && was.room === room;
    return isSame ? moved.known : moved.asked();
  };
  return { onScroll: moved.noticed, show, place };
}

/**
 * @param {string} room
 * @param {number} scale
 * @returns {Size}
 */
function paneOf(room, scale) {
  const [across = 0, down = 0] = room.split(" ").map(Number);
  return { width: across / scale, height: down / scale };
}

/**
 * The position at which a motion to `goal` starts: the last position, or a point nearer to `goal` if the
 * motion would be longer than `FARTHEST` pane sizes along an axis.
 * @param {Place} last
 * @param {Place} goal
 * @param {HTMLElement} host
 * @returns {Place}
 */
function startOf(last, goal, host) {
  const nearest = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ most) =>
    to + Math.max(-most, Math.min(most, from - to));
  return {
    x: nearest(last.x, goal.x, FARTHEST * host.clientWidth),
    y: nearest(last.y, goal.y, FARTHEST * host.clientHeight),
  };
}

/**
 * Scrolls a pane, immediately or in a motion, and distinguishes this from scrolling by the visitor.
 * Scrolling waits until all changes of a step are made, and positions are rarely read, because scrolling and
 * reading make the browser compute the layout.
 */
class Motion {
  /** Whether the visitor scrolled since this code last scrolled the pane. */
  isByHand = false;
  /** @type {Host} */
  #box;
  /** The last scroll position in px that this class set. */
  #last = { x: 0, y: 0 };
  /** The target position of the current motion. */
  #goal = this.#last;
  #frame = 0;
  /** Whether scrolling is scheduled. */
  #isDue = false;
  /**
   * The current or scheduled scroll position in px: the one that this class set last, or that a scroll event
   * reported.
   */
  known = this.#last;

  /** @param {Host} box */
  constructor(box) {
    this.#box = box;
  }

  /**
   * The scroll position in the picture's units.
   * @param {number} scale
   * @returns {Place}
   */
  place(scale) {
    const { x, y } = this.asked();
    return { x: x / scale, y: y / scale };
  }

  /**
   * The scroll position of the pane, in px, read from the page.
   * @returns {Place}
   */
  asked() {
    const host = this.#box.current;
    this.#scroll();
    this.known = host === null ? { x: 0, y: 0 } : { x: host.scrollLeft, y: host.scrollTop };
    return this.known;
  }

  /**
   * @param {Place} goal in px
   * @param {boolean} isSeen whether to show the motion, if the visitor allows motion
   * @param {boolean} isAnew whether other code may have scrolled the pane
   */
  to({ x, y }, isSeen, isAnew) {
    const host = this.#box.current;
    const goal = { x: Math.round(x), y: Math.round(y) };
    const isOnTheWay = goal.x === this.#goal.x && goal.y === this.#goal.y && this.#frame !== 0;
    if (host === null || (isOnTheWay && isSeen)) return;
    if (this.isByHand || isAnew) this.#last = this.asked();
    this.stop();
    this.isByHand = false;
    this.#goal = goal;
    if (goal.x === this.#last.x && goal.y === this.#last.y) return;
    if (isSeen && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.#glide(host);
    else this.#set(goal);
  }

  stop() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  /** Handles a scroll event. If the position is not the one that this class set, the visitor scrolled. */
  noticed = () => {
    const host = this.#box.current;
    if (host === null) return;
    const { x, y } = this.asked();
    const right = Math.min(this.#last.x, host.scrollWidth - host.clientWidth);
    const bottom = Math.min(this.#last.y, host.scrollHeight - host.clientHeight);
    if (Math.abs(x - right) < 2 && Math.abs(y - bottom) < 2) return;
    this.stop();
    this.isByHand = true;
  };

  /** @param {HTMLElement} host */
  #glide(host) {
    const [goal, last] = [this.#goal, this.#last];
    let [began, from] = [-1, last];
    const frame = (/** @type {number} */ time) => {
      if (began < 0) [began, from] = [time, startOf(last, goal, host)];
      const part = Math.min(1, (time - began) / MOTION);
      const eased = 1 - (1 - part) ** 3;
      this.#frame = part < 1 ? requestAnimationFrame(frame) : 0;
      this.#set({
        x: Math.round(from.x + (goal.x - from.x) * eased),
        y: Math.round(from.y + (goal.y - from.y) * eased),
      });
    };
    this.#frame = requestAnimationFrame(frame);
  }

  /** @param {Place} place */
  #set(place) {
    this.#last = place;
    this.known = place;
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => this.#scroll());
  }

  #scroll() {
    if (!this.#isDue) return;
    this.#isDue = false;
    this.#box.current?.scrollTo({ left: this.#last.x, top: this.#last.y, behavior: "instant" });
  }
}
