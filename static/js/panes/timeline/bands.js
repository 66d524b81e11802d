/**
 * Owns the bands of the timeline. Bands above the marks show forward and backward passes and updates of
 * leaves. In a long run, further bands show the rounds of its loop and can be selected. Bands between the
 * marks show constructions of modules that a step passes as a whole.
 */

import { h } from "../../../vendor/ui.js";
import { constructionBetween, constructionsOf, sizeOf } from "../../run/stops/constructions.js";
import { stopIndexOf, firstFrom, passesIn } from "../../run/stops/stop-index.js";
import { monoWidth } from "../../run/values/text-width.js";
import { loopIn, mainLoop, roundAt } from "../../run/stops/loops.js";
import { goTo } from "../../state/store.js";
import { say } from "../../state/words.js";
import { zoomTo } from "../../state/timeline-range.js";

/** @import {Pass, Range} from "../../run/stops/stop-index.js" */
/** @import {Index, Loop} from "../../run/types.d.ts" */

/** If passes are narrower than this on average, in px, they are drawn as thin lines. */
const LEAST = 70;
/** At most FEW passes always have labels, unless a loop has more than MANY rounds. */
const FEW = 3;
const MANY = 8;
const HEIGHT = 17;

/** @typedef {(k: number) => number} Place */
/** @typedef {{index: Index, range: Range, x: Place}} View */

/**
 * The bands of passes and rounds, which do not change from step to step.
 * @param {View} view
 */
export function passBands(view) {
  const { index, range, x } = view;
  const loop = isLong(view) ? loopIn(index, range) : undefined;
  const found = passesIn(index, range);
  return { loop, shapes: loop === undefined ? found.map((pass) => whole(view, pass)) : thin(view, found, x) };
}

/**
 * Whether the run has many passes, or many rounds of one loop.
 * @param {View} view
 */
function isLong({ index, range, x }) {
  const count = 2 * stopIndexOf(index).passes.filter(({ kind }) => kind === "backward").length + 1;
  const rounds = mainLoop(index)?.rounds.length ?? 0;
  return rounds > 0 && (count > FEW ? (x(range.to) - x(range.from)) / count < LEAST : rounds > MANY);
}

/**
 * @param {View} view
 * @param {number} from
 * @param {number} to
 */
function extent({ range, x }, from, to) {
  const half = (x(range.from + 1) - x(range.from)) / 2;
  const [left, right] = [
    Math.max(x(range.from) - 16, x(from) - half) + 1,
    Math.min(x(range.to) + 16, x(to) + half) - 1,
  ];
  return { x: left, width: Math.max(2, right - left) };
}

/**
 * @param {View} view
 * @param {Pass} pass
 */
function whole(view, { kind, from, to, line }) {
  const at = extent(view, from, to);
  const texts = [...(kind === "backward" ? [say("backward-in", { line })] : []), say(kind)];
  const word = texts.find((candidate) => monoWidth(candidate, 12.5) < at.width - 12) ?? "";
  return h(
    "g",
    { class: `band ${kind}`, key: `b${from}` },
    h("title", null, texts[0]),
    h("rect", { ...at, y: 2, height: HEIGHT, rx: 4 }),
    h("text", { x: at.x + 8, y: 15 }, word),
  );
}

/**
 * Draws backward passes as thin lines below the bands of rounds. Lines that would touch are joined.
 * @param {View} view
 * @param {Pass[]} found
 * @param {Place} x
 */
function thin(view, found, x) {
  /** @type {{from: number, to: number}[]} */
  const joined = [];
  for (const { kind, from, to } of found) {
    if (kind !== "backward") continue;
    const before = joined.at(-1);
    if (before !== undefined && x(from) - x(before.to) < 3) before.to = to;
    else joined.push({ from, to });
  }
  return joined.map(({ from, to }) =>
    h("rect", { class: "pass", key: `p${from}`, ...extent(view, from, to), y: HEIGHT - 1, height: 4 }),
  );
}

/**
 * Draws a band for each round of a loop, or for every n rounds if single rounds would be too narrow to
 * click. A double click on a band zooms to it.
 * @param {View} view
 * @param {Loop} loop
 * @param {number} k
 */
export function roundBands(view, loop, k) {
  const { range } = view;
  const count = loop.rounds.length;
  const each = roundsPerBand(view, loop);
  const now = k < loop.end ? roundAt(loop, k) : -1;
  const shapes = [];
  const start = Math.max(0, roundAt(loop, range.from));
  for (
    let first = start - (start % each);
    first < count && (loop.rounds[first] ?? 0) <= range.to;
    first += each
  ) {
    const last = Math.min(count, first + each) - 1;
    const [from, to] = [loop.rounds[first] ?? 0, (loop.rounds[last + 1] ?? loop.end) - 1];
    const at = extent(view, Math.max(from, range.from), Math.min(to, range.to));
    const isHere = first <= now && now <= last;
    const name = first === last ? String(first + 1) : `${first + 1}–${last + 1}`;
    const fits = [name, String(first + 1)].find((text) => text.length * 7.4 + 4 < at.width) ?? "";
    const look = {
      class: `band round${isHere ? " here" : ""}`,
      key: `r${first}`,
      onClick: () => goTo(from),
      onDblClick: () => zoomTo(from, to),
    };
    shapes.push(
      h(
        "g",
        look,
        h("title", null, say("round-of", { line: loop.line, round: name, count })),
        h("rect", { ...at, y: 2, height: HEIGHT - 3, rx: 4 }),
        h("text", { x: at.x + at.width / 2, y: 13.5 }, fits),
      ),
    );
  }
  return shapes;
}

/**
 * The smallest of 1, 2, 5, 10 and so on rounds per band at which the labels fit. The intervals are coarse
 * so that panning seldom changes them.
 * @param {View} view
 * @param {Loop} loop
 */
function roundsPerBand({ range, x }, loop) {
  const first = firstFrom(loop.rounds, range.from);
  const shown = Math.max(1, firstFrom(loop.rounds, range.to + 1) - first);
  const room = Math.max(
    1,
    x(Math.min(range.to, loop.end - 1)) - x(Math.max(range.from, loop.rounds[0] ?? 0)),
  );
  const least = ((String(loop.rounds.length).length * 7.4 + 8) * shown) / room;
  return (
    [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500].find((interval) => interval >= least) ??
    Math.ceil(least / 1000) * 1000
  );
}

/** The y coordinate in px of the line on which marks are drawn, and the height of a band there. */
const ON_RAIL = { y: 27, height: 18 };

/**
 * Draws a band between the marks for each construction of a module that a step passes as a whole.
 * @param {View & {lastVisible: number}} view
 * @param {number} k
 */
export function constructionBands(view, k) {
  const { index, range, lastVisible } = view;
  const constructions = constructionsOf(index);
  const shapes = [];
  for (const construction of constructions.all) {
    const { from, to } = construction;
    if (to < range.from || Math.min(range.to, lastVisible) < from) continue;
    if (constructionBetween(constructions, from, k) !== construction) continue;
    const at = extent(view, Math.max(from, range.from), Math.min(to, range.to));
    const word = say("construction-steps", { count: sizeOf(construction) });
    const fits =
      [word, String(sizeOf(construction))].find((text) => monoWidth(text, 12) < at.width - 8) ?? "";
    shapes.push(
      h(
        "g",
        { class: "band construction", key: `k${from}` },
        h("rect", { ...at, ...ON_RAIL, rx: 5 }),
        h("text", { x: at.x + at.width / 2, y: ON_RAIL.y + 13 }, fits),
      ),
    );
  }
  return shapes;
}
