import assert from "node:assert/strict";
import { test } from "node:test";

import { canScroll, swiped } from "../../static/js/input/swipe-gesture.js";

const stroke = (across, down, ms = 200, x = 200) =>
  swiped({ x, y: 300, at: 1000 }, { x: x + across, y: 300 + down, at: 1000 + ms }, 390);

test("a horizontal swipe to the left steps forward, and one to the right steps back", () => {
  assert.deepEqual([stroke(-90, 8), stroke(90, -20)], [1, -1]);
});

test("a touch movement that is short, slow, steep or begins at the screen's edge is not a swipe", () => {
  assert.deepEqual(
    [stroke(-40, 0), stroke(-90, 0, 900), stroke(-90, 60), stroke(90, 0, 200, 10), stroke(-90, 0, 200, 385)],
    [0, 0, 0, 0, 0],
  );
});

test("a swipe over an element that can still scroll in its direction scrolls the element", () => {
  const box = { scrollWidth: 500, clientWidth: 300 };
  assert.deepEqual(
    [0, 100, 200].map((scrollLeft) => [
      canScroll({ ...box, scrollLeft }, 1),
      canScroll({ ...box, scrollLeft }, -1),
    ]),
    [
      [true, false],
      [true, true],
      [false, true],
    ],
  );
});
