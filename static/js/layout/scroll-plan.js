/**
 * Owns the scroll position of a picture at each stop of a run. All stops are known beforehand, so a position
 * is kept while it shows the subjects of the next stops. The position depends only on the stop, so a jump
 * shows the same as stepping. Pure.
 */

/** @import {Box} from "../run/types.d.ts" */

/** @typedef {{width: number, height: number}} Size */
/** @typedef {{x: number, y: number}} Place of the upper left corner of the view */
/**
 * The boxes that should be visible at a stop. `either` has lists of boxes, the most important list first.
 * One of these lists, preferably the first, is shown as far as it fits the pane. `also` has boxes that count
 * as visible subjects of the stop, but the picture is not scrolled to show them.
 * @typedef {{either: Box[][], also: Box[]}} Wanted
 */
/** @typedef {{from: number, to: number}} Range a range of positions */
/** @typedef {{x: Range, y: Range}} Room the positions at which something is visible */
/** @typedef {{either: Box[], also: Box[]}} Fitted one of these boxes is wanted; each fits into the pane */

/** The margin around wanted boxes, in the units of a picture. */
const MARGIN = 8;
/**
 * The maximum number of lists of boxes that are considered for a stop, and of alternative ranges of
 * positions for consecutive stops.
 */
const MOST = { lists: 32, rooms: 64 };

/**
 * Cuts each list of wanted boxes to the boxes that fit into the pane together. A list of which only one box
 * fits is dropped if more boxes of another list fit.
 * @param {Wanted} wanted
 * @param {Size} pane
 * @returns {Fitted}
 */
export function fitted({ either, also }, pane) {
  const lists = either.slice(0, MOST.lists).map((boxes) => together(boxes, pane));
  const least = Math.min(2, Math.max(...lists.map(({ count }) => count)));
  /** @type {Map<string, Box>} */
  const boxes = new Map();
  for (const { box, count } of lists)
    if (box !== null && count >= least) boxes.set(`${box.x} ${box.y} ${box.width} ${box.height}`, box);
  return { either: [...boxes.values()], also };
}

/**
 * The boxes that fit into a pane together: the first box, and each further box that fits with the boxes
 * before it. If the first box is larger than the pane, only the beginning of this box is shown.
 * @param {Box[]} boxes the most important first
 * @param {Size} pane
 * @returns {{box: Box | null, count: number}}
 */
function together(boxes, pane) {
  const [first, ...others] = boxes;
  if (first === undefined) return { box: null, count: 0 };
  const most = (/** @type {number} */ side) => Math.max(side / 2, side - 2 * MARGIN);
  let count = 1;
  let box = {
    x: first.x,
    y: first.y,
    width: first.width > pane.width ? most(pane.width) : first.width,
    height: first.height > pane.height ? most(pane.height) : first.height,
  };
  for (const other of others) {
    const both = around([box, other]);
    if (both === null || both.width > pane.width || both.height > pane.height) continue;
    box = both;
    count += 1;
  }
  return { box, count };
}

/**
 * The smallest box that contains all given boxes.
 * @param {Box[]} boxes
 * @returns {Box | null} null: there is none
 */
export function around(boxes) {
  if (boxes.length === 0) return null;
  const [x, y] = [Math.min(...boxes.map((box) => box.x)), Math.min(...boxes.map((box) => box.y))];
  const width = Math.max(...boxes.map((box) => box.x + box.width)) - x;
  return { x, y, width, height: Math.max(...boxes.map((box) => box.y + box.height)) - y };
}

/**
 * Plans the scroll positions for consecutive stops with as few moves as possible. Each position shows the
 * wanted boxes of its stop, and each move is as short as possible.
 * @param {Fitted[]} stops
 * @param {Size} pane
 * @param {Size} picture
 * @param {Place | null} before null: no previous position
 * @returns {Place[]}
 */
export function planned(stops, pane, picture, before) {
  const whole = roomFor(null, pane, picture);
  /** @type {Place[]} */
  const places = [];
  let rooms = [whole];
  let place = before;
  const settle = (/** @type {number} */ end) => {
    let room = rooms[0] ?? whole;
    for (const { also } of stops.slice(places.length, end))
      for (const box of also) room = meeting(room, roomFor(box, pane, picture)) ?? room;
    place = nearestTo(place, room);
    while (places.length < end) places.push(place);
  };
  for (const [number, { either }] of stops.entries()) {
    if (either.length === 0) continue;
    const wanted = either.map((box) => roomFor(box, pane, picture));
    const both = rooms.flatMap((room) => wanted.map((other) => meeting(room, other)));
    const kept = both.filter((room) => room !== null).slice(0, MOST.rooms);
    if (kept.length === 0) settle(number);
    rooms = kept.length === 0 ? wanted : kept;
  }
  settle(stops.length);
  return places;
}

/**
 * The scroll positions at which a box is visible. If the box is null, these are all positions.
 * @param {Box | null} box
 * @param {Size} pane
 * @param {Size} picture
 * @returns {Room}
 */
function roomFor(box, pane, picture) {
  const [right, bottom] = [picture.width - pane.width, picture.height - pane.height];
  if (box === null)
    return { x: { from: 0, to: Math.max(0, right) }, y: { from: 0, to: Math.max(0, bottom) } };
  return {
    x: axis(box.x, box.width, pane.width, Math.max(0, right)),
    y: axis(box.y, box.height, pane.height, Math.max(0, bottom)),
  };
}

/**
 * @param {number} start of the box
 * @param {number} length of the box
 * @param {number} pane
 * @param {number} last position
 * @returns {Range}
 */
function axis(start, length, pane, last) {
  const margin = Math.max(0, Math.min(MARGIN, (pane - length) / 2));
  return {
    from: within(start + length + margin - pane, 0, last),
    to: within(start - margin, 0, last),
  };
}

/**
 * @param {Room} a
 * @param {Room} b
 * @returns {Room | null}
 */
function meeting(a, b) {
  const [x, y] = [overlap(a.x, b.x), overlap(a.y, b.y)];
  return x && y && { x, y };
}

/**
 * @param {Range} a
 * @param {Range} b
 * @returns {Range | null}
 */
function overlap(a, b) {
  const [from, to] = [Math.max(a.from, b.from), Math.min(a.to, b.to)];
  return from <= to ? { from, to } : null;
}

/**
 * @param {Place | null} place
 * @param {Room} room
 * @returns {Place}
 */
function nearestTo(place, { x, y }) {
  if (place === null) return { x: (x.from + x.to) / 2, y: (y.from + y.to) / 2 };
  return { x: within(place.x, x.from, x.to), y: within(place.y, y.from, y.to) };
}

/**
 * @param {number} number
 * @param {number} least
 * @param {number} most
 */
function within(number, least, most) {
  return Math.min(most, Math.max(least, number));
}

/** The number of stops that are planned together. Stops that are never visited are never planned. */
const TOGETHER = 256;

/**
 * Returns a function that gives the scroll position at a stop. Stops are planned in sections, when a stop of
 * the section is first visited.
 * @param {(k: number) => Wanted} wantedAt
 * @param {number} count of stops
 * @param {Size} pane
 * @param {Size} picture
 * @returns {(k: number) => {place: Place, subjects: Box[]}} `subjects`: the wanted boxes, at least one of
 *   which is visible
 */
export function planOf(wantedAt, count, pane, picture) {
  /** @type {Map<number, {stops: Fitted[], places: Place[]}>} */
  const parts = new Map();
  const fittedAt = (/** @type {number} */ k) => fitted(wantedAt(k), pane);
  /**
   * The wanted boxes of the last stop before `first` that has wanted boxes, because they stay visible until
   * a stop with other wanted boxes.
   */
  const lastBefore = (/** @type {number} */ first) => {
    for (let k = first - 1; k >= Math.max(0, first - TOGETHER); k -= 1) {
      const last = fittedAt(k);
      if (last.either.length > 0) return [last];
    }
    return [];
  };
  const partFrom = (/** @type {number} */ first) => {
    const length = Math.max(0, Math.min(TOGETHER, count - first));
    const stops = Array.from({ length }, (_, at) => fittedAt(first + at));
    const before = stops[0]?.either.length === 0 ? lastBefore(first) : [];
    const places = planned([...before, ...stops], pane, picture, first === 0 ? { x: 0, y: 0 } : null);
    return { stops, places: places.slice(before.length) };
  };
  return (k) => {
    const first = k - (k % TOGETHER);
    const part = parts.get(first) ?? partFrom(first);
    parts.set(first, part);
    return { place: part.places[k - first] ?? { x: 0, y: 0 }, subjects: part.stops[k - first]?.either ?? [] };
  };
}

/**
 * Whether a box is visible.
 * @param {Box} box
 * @param {Place} place
 * @param {Size} pane
 */
export function isInSight({ x, y, width, height }, place, pane) {
  const off = 1; // scroll positions are rounded to whole pixels
  return (
    x >= place.x - off &&
    y >= place.y - off &&
    x + width <= place.x + pane.width + off &&
    y + height <= place.y + pane.height + off
  );
}

/**
 * The position nearest to a given position at which a box is visible.
 * @param {Box} box
 * @param {Place} place
 * @param {Size} pane
 * @param {Size} picture
 */
export function nearestShowing(box, place, pane, picture) {
  return nearestTo(place, roomFor(box, pane, picture));
}
