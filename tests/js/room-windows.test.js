/** Tests which window of a browser holds the event stream of a room, while the windows exchange messages. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { after, outside, TIMES } from "../../static/js/lazy/room/windows.js";

/** Simulates the windows of one browser. A message reaches all other windows after a short delay. */
class Browser {
  constructor(seed = 1) {
    this.now = 1_000_000;
    this.windows = new Map();
    this.words = [];
    this.seed = seed;
  }

  chance() {
    this.seed = (this.seed * 48271) % 2147483647;
    return this.seed / 2147483647;
  }

  /** Triggers an event in a window. `late`: the delay of the messages that the window sends, in ms. */
  happens(id, what, late = 1) {
    const was = this.windows.get(id) ?? outside(id);
    const { place, say } = after(was, what, this.now, this.chance());
    this.windows.set(id, place);
    if (say !== null)
      this.words.push({ at: this.now + late, word: { kind: say, from: id, since: place.since } });
  }

  opens(id) {
    this.happens(id, { kind: "start" });
  }

  /** Removes a window without a message to the others, as if its tab crashed. */
  dies(id) {
    this.windows.delete(id);
  }

  passes(ms) {
    const end = this.now + ms;
    for (;;) {
      const wakes = [...this.windows].map(([id, place]) => ({ at: place.wakeAt, id }));
      const next = [...wakes, ...this.words].sort((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      this.now = Math.max(this.now, next.at);
      if ("id" in next) this.happens(next.id, { kind: "tick" });
      else {
        this.words.splice(this.words.indexOf(next), 1);
        for (const id of this.windows.keys())
          if (id !== next.word.from) this.happens(id, { kind: "word", word: next.word });
      }
    }
    this.now = end;
  }

  leaders() {
    return [...this.windows.values()].filter(({ phase }) => phase === "leading").map(({ id }) => id);
  }
}

test("a single window soon holds the stream", () => {
  const browser = new Browser();
  browser.opens("a");
  browser.passes(TIMES.answer.least + TIMES.answer.more);
  assert.deepEqual(browser.leaders(), ["a"]);
});

test("of ten windows one holds the stream, and all others know which", () => {
  for (let seed = 1; seed < 200; seed += 1) {
    const browser = new Browser(seed);
    for (let number = 0; number < 10; number += 1) {
      browser.opens(`window ${number}`);
      if (seed % 2 === 0) browser.passes(Math.floor(browser.chance() * 400));
    }
    browser.passes(TIMES.silence.least);
    const [leader, ...more] = browser.leaders();
    assert.equal(more.length, 0);
    for (const { phase, leader: known } of browser.windows.values())
      assert.ok(phase === "leading" || (phase === "listening" && known === leader));
  }
});

test("a window that opens later does not take the stream over", () => {
  const browser = new Browser();
  browser.opens("b");
  browser.passes(60_000);
  browser.opens("a");
  browser.passes(60_000);
  assert.deepEqual(browser.leaders(), ["b"]);
});

test("if the window with the stream is hidden or closed, another window takes the stream over at once", () => {
  const browser = new Browser();
  for (const id of ["a", "b", "c"]) browser.opens(id);
  browser.passes(3_000);
  const [first] = browser.leaders();
  browser.happens(first, { kind: "stop" });
  browser.passes(TIMES.answer.more + 10);
  assert.equal(browser.leaders().length, 1);
  assert.notEqual(browser.leaders()[0], first);
});

test("if the window with the stream disappears without a message, another takes over within seconds", () => {
  const browser = new Browser();
  for (const id of ["a", "b", "c"]) browser.opens(id);
  browser.passes(3_000);
  const [first] = browser.leaders();
  browser.dies(first);
  browser.passes(TIMES.silence.least + TIMES.silence.more + TIMES.answer.least + TIMES.answer.more);
  assert.equal(browser.leaders().length, 1);
});

test("if two windows hold streams, the older one continues; at equal age the one with the smaller id", () => {
  for (const [since, leads] of [
    [5, "a"],
    [15, "b"],
    [10, "a"],
  ]) {
    const a = { id: "a", phase: "leading", leader: "a", since, wakeAt: Infinity };
    const b = { id: "b", phase: "leading", leader: "b", since: 10, wakeAt: Infinity };
    const of = (one, other) =>
      after(one, { kind: "word", word: { kind: "lead", from: other.id, since: other.since } }, 20, 0).place
        .phase;
    assert.deepEqual(
      [of(a, b), of(b, a)],
      leads === "a" ? ["leading", "listening"] : ["listening", "leading"],
    );
  }
});

test("hidden windows hold no stream, and a window that becomes visible asks the others first", () => {
  const browser = new Browser();
  browser.opens("a");
  browser.passes(1_000);
  browser.happens("a", { kind: "stop" });
  browser.passes(60_000);
  assert.deepEqual(browser.leaders(), []);
  browser.opens("a");
  assert.equal(browser.windows.get("a").phase, "asking");
  browser.passes(1_000);
  assert.deepEqual(browser.leaders(), ["a"]);
});
