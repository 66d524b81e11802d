/**
 * Tests of the requests by which a teacher's page sends changes: the newest value of each key, at most ten
 * requests a second, one at a time.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  APART,
  arrived,
  dueAt,
  EMPTY,
  failed,
  isUnderWay,
  noted,
  refused,
  sending,
} from "../../static/js/lazy/room/outbox.js";

test("the newest value of each key is sent, in at most one request per tenth of a second", () => {
  let box = EMPTY;
  const sent = [];
  for (let now = 0; now < 10_000; now += 7) {
    box = noted(box, now % 2 === 0 ? { at: now } : { view: now });
    if (dueAt(box) <= now) {
      box = sending(box, now);
      sent.push({ now, ...box.sending });
      box = arrived(box);
    }
  }
  assert.ok(sent.length <= 10_000 / APART + 1 && sent.length > 80, `${sent.length}`);
  for (const { now, at = 0, view = 0 } of sent) assert.equal(Math.max(at, view), now);
});

test("there is one request at a time, even if it takes long", () => {
  let box = sending(noted(EMPTY, { at: 1 }), 0);
  box = noted(box, { at: 2 });
  assert.equal(dueAt(box), Infinity);
  box = arrived(box);
  assert.equal(dueAt(box), APART);
  assert.deepEqual(sending(box, APART).sending, { at: 2 });
  assert.equal(dueAt(arrived(sending(box, APART))), Infinity, "then there is nothing to send");
});

test("values whose request failed are sent again at growing intervals, unless there are newer ones", () => {
  let box = sending(noted(EMPTY, { at: 1, view: "a" }), 0);
  box = failed(noted(box, { at: 2 }), undefined, 0, 0.5);
  assert.deepEqual(box.pending, { at: 2, view: "a" });
  const first = dueAt(box);
  assert.ok(first >= 200 && first <= 600);
  box = failed(sending(box, first), undefined, first, 0.5);
  assert.ok(dueAt(box) - first >= first);
  assert.ok(dueAt(failed(sending(box, 0), 10, 0, 0)) >= 10_000, "not before the server's time");
});

test("values that the server refuses are dropped, and values that changed meanwhile are kept", () => {
  const box = refused(noted(sending(noted(EMPTY, { snippet: "s" }), 0), { at: 3 }));
  assert.deepEqual([box.sending, box.pending], [null, { at: 3 }]);
});

test("a key counts as unsent until the server has received its value", () => {
  let box = noted(EMPTY, { at: 1 });
  assert.ok(isUnderWay(box, "at") && !isUnderWay(box, "view"));
  box = sending(box, 0);
  assert.ok(isUnderWay(box, "at"));
  assert.ok(!isUnderWay(arrived(box), "at"));
});
