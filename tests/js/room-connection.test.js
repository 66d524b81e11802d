/**
 * Tests when a page opens the event stream of a room, closes it, and polls instead. The tests set the time.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { after, apart, isHeard, OFF, TIMES } from "../../static/js/lazy/room/connection.js";

const HEARTBEAT = 10_000;

/** The state of a page's connection, with events and a time that the test sets. */
class Page {
  constructor(chance = 0.5) {
    this.now = 1_000_000;
    this.chance = chance;
    this.connection = OFF;
  }

  happens(kind, more = {}) {
    this.connection = after(this.connection, { kind, ...more }, this.now, this.chance);
    return this.connection;
  }

  /**
   * Advances the time. Timers of the connection fire when they are due, and an event of the given kind
   * occurs every `every` ms.
   */
  passes(ms, every = Infinity, kind = "bytes") {
    const end = this.now + ms;
    let next = this.now + every;
    let ticks = 0;
    while (this.now < end) {
      this.now = Math.min(end, next, Math.max(this.now, this.connection.wakeAt));
      if (this.now === next) {
        this.happens(kind);
        next += every;
      }
      if (this.now >= this.connection.wakeAt && this.now < end) {
        this.happens("tick");
        ticks += 1;
        assert.ok(ticks < 10_000, "a tick leads to a later one");
      }
    }
    return this.connection;
  }
}

function streaming(chance) {
  const page = new Page(chance);
  page.happens("start");
  page.happens("bytes");
  assert.equal(page.connection.phase, "streaming");
  return page;
}

function polling() {
  const page = new Page();
  page.happens("start");
  page.passes(TIMES.first + 1);
  assert.equal(page.connection.phase, "polling");
  return page;
}

test("a stream with a heartbeat stays open without another attempt", () => {
  const page = streaming();
  const { stream } = page.connection;
  page.passes(3_600_000, HEARTBEAT);
  assert.deepEqual([page.connection.phase, page.connection.stream], ["streaming", stream]);
  assert.ok(isHeard(page.connection));
});

test("events before the start and after the end open no connection", () => {
  const page = new Page();
  for (const kind of ["bytes", "tick", "nudge", "ended", "polled"]) assert.equal(page.happens(kind), OFF);
  page.happens("start");
  const stopped = page.happens("stop");
  assert.deepEqual([stopped.stream, stopped.poll, stopped.wakeAt], [null, null, Infinity]);
  page.happens("start");
  assert.equal(page.connection.stream, 2, "a try has a number of its own");
});

test("after a stream ends, a new attempt follows within 0.2 to 5 s, repeatedly", () => {
  for (const chance of [0, 0.5, 0.999]) {
    const page = streaming(chance);
    for (let times = 0; times < 2; times += 1) {
      page.happens("ended");
      assert.deepEqual([page.connection.phase, page.connection.stream], ["waiting", null]);
      assert.ok(!isHeard(page.connection));
      const wait = page.connection.wakeAt - page.now;
      assert.ok(wait >= TIMES.apart.least && wait <= TIMES.apart.most, `${wait}`);
      page.passes(wait + 1);
      assert.equal(page.connection.phase, "opening");
    }
    page.happens("bytes");
    assert.ok(isHeard(page.connection) && page.connection.failures === 0);
  }
});

test("the pages of a class reconnect at different times, not before Retry-After, and at most 65 s later", () => {
  for (let failures = 0; failures < 40; failures += 1) {
    assert.ok(apart(failures, undefined, 0) === TIMES.apart.least);
    assert.ok(apart(failures, undefined, 1) <= TIMES.apart.most);
    assert.ok(apart(failures, 7, 0) >= 7_000);
    assert.ok(apart(failures, 1e9, 1) <= TIMES.asked + TIMES.apart.most);
  }
  assert.ok(apart(0, undefined, 1) <= 600, "a page whose web died is back within a second");
});

test("a page that is online or visible again connects at once, but not before the server's Retry-After", () => {
  const page = streaming();
  page.happens("ended");
  assert.equal(page.happens("nudge").phase, "opening");
  page.happens("ended", { retryAfter: 3 });
  assert.equal(page.happens("nudge").phase, "waiting");
  page.passes(3_001);
  page.connection = { ...page.connection, phase: "waiting", wakeAt: page.now + 5_000 };
  assert.equal(page.happens("nudge").phase, "opening");
});

test("a page that is visible again keeps a recently heard stream, and reopens another", () => {
  const page = streaming();
  page.now += TIMES.doubtful - 1;
  assert.equal(page.happens("nudge").stream, 1);
  page.now += 2;
  assert.deepEqual([page.happens("nudge").phase, page.connection.stream], ["opening", 2]);
});

test("after 20 s without a byte from the stream, the page polls at once", () => {
  const page = streaming();
  page.passes(TIMES.silence - 1);
  assert.equal(page.connection.phase, "streaming");
  page.passes(2);
  assert.deepEqual([page.connection.phase, page.connection.stream], ["polling", null]);
  assert.notEqual(page.connection.poll, null);
});

test("behind a proxy that buffers the stream, the page polls after some seconds, and continues to poll", () => {
  const page = polling();
  assert.notEqual(page.connection.poll, null);
  const asked = new Set();
  for (let times = 0; times < 5; times += 1) {
    asked.add(page.connection.poll);
    page.happens("polled");
  }
  assert.equal(asked.size, 5, "each answer leads to the next question");
  assert.ok(isHeard(page.connection));
});

test("a poll without an answer is repeated after a delay, and the page reports the lost contact", () => {
  const page = polling();
  page.happens("unanswered");
  assert.equal(page.connection.poll, null);
  assert.ok(!isHeard(page.connection));
  page.passes(TIMES.apart.most);
  assert.notEqual(page.connection.poll, null);
  page.happens("unanswered");
  page.happens("nudge");
  assert.notEqual(page.connection.poll, null, "at once, where it is online again");
  page.happens("polled");
  assert.ok(isHeard(page.connection));
});

test("while the page polls, it tries to open a stream at growing intervals", () => {
  const page = polling();
  const probed = [];
  let last = null;
  for (const end = page.now + 3 * 3_600_000; page.now < end; ) {
    page.passes(20_000);
    page.happens("polled");
    if (page.connection.stream !== null && page.connection.stream !== last) probed.push(page.now);
    last = page.connection.stream;
    assert.notEqual(page.connection.poll, null, "nothing is missed meanwhile");
  }
  const gaps = probed.slice(1).map((at, number) => at - probed[number]);
  assert.ok(gaps.length > 5 && gaps.every((gap, number) => gap >= (gaps[number - 1] ?? 0) - 20_000));
  assert.ok(Math.max(...gaps) <= TIMES.probe.most + 2 * TIMES.silence + 20_000);
});

test("the page continues to poll while a new stream has delivered only its first bytes", () => {
  const page = polling();
  page.passes(TIMES.probe.least);
  page.happens("polled");
  assert.notEqual(page.connection.stream, null);
  page.happens("bytes");
  assert.equal(page.connection.phase, "polling");
  page.passes(TIMES.silence + 1);
  assert.deepEqual([page.connection.phase, page.connection.stream], ["polling", null]);
});

test("the page stops polling when a new stream continues to deliver", () => {
  const page = polling();
  page.passes(TIMES.probe.least);
  page.happens("polled");
  const { stream } = page.connection;
  page.happens("bytes");
  page.passes(HEARTBEAT);
  page.happens("bytes");
  assert.deepEqual(
    [page.connection.phase, page.connection.stream, page.connection.poll],
    ["streaming", stream, null],
  );
});

test("after consecutive failures of the stream, the page polls", () => {
  const page = new Page();
  page.happens("start");
  for (let times = 0; times < 3; times += 1) {
    page.happens("ended");
    page.passes(TIMES.apart.most);
  }
  assert.equal(page.connection.phase, "polling");
  assert.ok(!isHeard(page.connection), "until a question is answered");
  page.happens("polled");
  assert.ok(isHeard(page.connection));
});

test("after random events there is at most one stream and one poll, and a next attempt is always due", () => {
  const kinds = ["bytes", "ended", "polled", "unanswered", "nudge", "tick", "start"];
  let seed = 1;
  const chance = () => {
    seed = (seed * 48271) % 2147483647;
    return seed / 2147483647;
  };
  const page = new Page();
  page.happens("start");
  for (let times = 0; times < 20_000; times += 1) {
    page.now += Math.floor(chance() * 30_000);
    const kind = kinds[Math.floor(chance() * kinds.length)];
    const { stream, poll } = page.connection;
    if ((kind === "bytes" || kind === "ended") && stream === null) continue;
    if ((kind === "polled" || kind === "unanswered") && poll === null) continue;
    page.chance = chance();
    const { connection } = { connection: page.happens(kind) };
    const isUnderWay = connection.stream !== null || connection.poll !== null;
    assert.ok(isUnderWay || connection.wakeAt < Infinity, `${kind}: ${JSON.stringify(connection)}`);
    if (connection.phase === "streaming" || connection.phase === "opening")
      assert.ok(connection.poll === null && connection.stream !== null && connection.wakeAt < Infinity);
  }
});
