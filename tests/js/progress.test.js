import assert from "node:assert/strict";
import { test } from "node:test";

import { eventsOf, piecesOf } from "../../static/js/io/event-stream.js";
import { progressOf, secondsApart } from "../../static/js/io/progress.js";

async function* each(pieces) {
  yield* pieces;
}
const read = (pieces) => collected(eventsOf(each(pieces)));
async function collected(events) {
  const found = [];
  for await (const event of events) found.push(event);
  return found;
}
const STREAM =
  ': still here\n\nevent: queued\ndata: {"run": "a", "position": 2}\n\nevent: document\ndata: {"text": "x: \\n梯度"}\n\n';
const EVENTS = [
  { event: "queued", text: '{"run": "a", "position": 2}' },
  { event: "document", text: '{"text": "x: \\n梯度"}' },
];

test("an event stream gives the same events however it is cut into chunks", async () => {
  for (let cut = 0; cut <= STREAM.length; cut += 1)
    assert.deepEqual(await read([STREAM.slice(0, cut), STREAM.slice(cut)]), EVENTS, `cut at ${cut}`);
  assert.deepEqual(await read([...STREAM]), EVENTS);
  assert.deepEqual(await read([STREAM.replaceAll("\n", "\r\n")]), EVENTS);
});

test("events without a name, with several lines of data and with unknown fields are read", async () => {
  assert.deepEqual(await read(["data:one\ndata: two\nid: 7\nretry\n\n"]), [
    { event: "message", text: "one\ntwo" },
  ]);
  assert.deepEqual(await read(["event: queued\n\n"]), [], "an event without data is none");
});

test("an incomplete event at the end of the stream is ignored", async () => {
  for (let end = 1; end < STREAM.length; end += 1) {
    // One of the blocks in STREAM is a comment instead of an event.
    const whole = STREAM.slice(0, end).split("\n\n").length - 2;
    assert.equal((await read([STREAM.slice(0, end)])).length, Math.max(0, whole), `broken off at ${end}`);
  }
});

test("bytes are decoded correctly if a chunk ends within a character", async () => {
  const bytes = new TextEncoder().encode(STREAM);
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  assert.deepEqual(await collected(eventsOf(piecesOf(body))), EVENTS);
});

test("a consumer that stops reading cancels the stream", async () => {
  let isCancelled = false;
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new TextEncoder().encode(STREAM)),
    cancel: () => {
      isCancelled = true;
    },
  });
  for await (const { event } of eventsOf(piecesOf(body))) if (event === "document") break;
  assert.ok(isCancelled);
});

test("events report the progress of a run", () => {
  assert.deepEqual(progressOf("queued", { run: "a", position: 4 }), {
    run: "a",
    phase: "waiting",
    before: 3,
  });
  assert.deepEqual(progressOf("running", { run: "a", line: 12, statements: 40, operators: 311 }), {
    run: "a",
    phase: "running",
    line: 12,
    operators: 311,
  });
  assert.deepEqual(progressOf("running", { run: "a", line: null, statements: 0, operators: 0 })?.line, 0);
  assert.equal(progressOf("something else", { run: "a" }), null);
});

test("clients that are refused together retry at different times, never too early", () => {
  const waits = Array.from({ length: 300 }, (_, nr) => secondsApart(3, nr / 300));
  assert.ok(waits.every((seconds) => seconds >= 3 && seconds <= 7 && Number.isInteger(seconds)));
  assert.ok(new Set(waits).size >= 4);
  for (const nothing of [undefined, Number.NaN, -1, 0])
    assert.equal(secondsApart(nothing, 0.9), 0, "nothing was asked for");
  assert.ok(secondsApart(1e9, 0.5) <= 604, "nobody waits for ever");
});
