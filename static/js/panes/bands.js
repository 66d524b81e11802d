/** Owns the bands above the timeline: forward and backward, and in a long run the rounds of its loop, one of which can be picked. */

import { h } from "../../vendor/ui.js";
import { mainLoop, roundAt } from "../loops.js";
import { goTo } from "../store.js";
import { monoWidth } from "../layout/text.js";
import { say } from "../words.js";

/** @import {Index, Loop} from "../types.d.ts" */

/** Bands that are narrower on average say nothing. */
const LEAST = 70;
const HEIGHT = 17;

/** @typedef {(k: number) => number} Place */

/** @param {Index} index @param {Place} x @param {number} k */
export function bands(index, x, k) {
  const found = passes(index);
  const loop = mainLoop(index);
  const isLong = loop !== undefined && found.length > 3 && (x(index.stops.length - 1) - x(0)) / found.length < LEAST;
  if (!isLong) return found.map((band) => whole(index, x, band));
  return [...found.filter((band) => band.kind === "backward").map((band) => h("rect", { class: "pass", key: `p${band.from}`, ...extent(index, x, band.from, band.to), y: HEIGHT - 1, height: 4 })), ...rounds(index, x, loop, k)];
}

/** @param {Index} index */
function passes(index) {
  /** @type {{kind: string, from: number, to: number, line: number}[]} */
  const found = [];
  const statements = new Set(index.runs.map((run) => run.statement));
  for (const [k, stop] of index.stops.entries()) {
    const kind = statements.has(stop.statement) ? "backward" : "forward";
    const before = found.at(-1);
    if (before?.kind === kind && (kind === "forward" || before.line === stop.line)) before.to = k;
    else found.push({ kind, from: k, to: k, line: stop.line });
  }
  return found;
}

/** @param {Index} index @param {Place} x @param {number} from @param {number} to */
function extent(index, x, from, to) {
  const half = (x(1) - x(0)) / 2;
  const [left, right] = [Math.max(x(0) - 16, x(from) - half) + 1, Math.min(x(index.stops.length - 1) + 16, x(to) + half) - 1];
  return { x: left, width: Math.max(2, right - left) };
}

/** @param {Index} index @param {Place} x @param {ReturnType<typeof passes>[number]} band */
function whole(index, x, { kind, from, to, line }) {
  const at = extent(index, x, from, to);
  const text = kind === "backward" ? say("backward-in", { line }) : say("forward");
  const short = kind === "backward" ? say("backward") : say("forward");
  const word = [text, short].find((own) => monoWidth(own, 12.5) < at.width - 12) ?? "";
  return h("g", { class: `band ${kind}`, key: `b${from}` }, h("rect", { ...at, y: 2, height: HEIGHT, rx: 4 }), h("text", { x: at.x + 8, y: 15 }, word));
}

/** One band for each round, or for some where they would be too narrow to press. @param {Index} index @param {Place} x @param {Loop} loop @param {number} k */
function rounds(index, x, loop, k) {
  const count = loop.rounds.length;
  const each = Math.max(1, Math.ceil((24 * count) / Math.max(1, x(loop.end - 1) - x(loop.rounds[0] ?? 0))));
  const now = k < loop.end ? roundAt(loop, k) : -1;
  const shapes = [];
  for (let first = 0; first < count; first += each) {
    const last = Math.min(count, first + each) - 1;
    const [from, to] = [loop.rounds[first] ?? 0, (loop.rounds[last + 1] ?? loop.end) - 1];
    const at = extent(index, x, from, to);
    const isHere = first <= now && now <= last;
    const name = first === last ? String(first + 1) : `${first + 1}–${last + 1}`;
    const fits = [name, String(first + 1)].find((text) => text.length * 7.4 + 4 < at.width) ?? "";
    const pick = () => goTo(from);
    shapes.push(h("g", { class: `band round${isHere ? " here" : ""}`, key: `r${first}`, onClick: pick }, h("title", null, say("round-of", { line: loop.line, round: name, count })), h("rect", { ...at, y: 2, height: HEIGHT - 3, rx: 4 }), h("text", { x: at.x + at.width / 2, y: 13.5 }, fits)));
  }
  return shapes;
}
