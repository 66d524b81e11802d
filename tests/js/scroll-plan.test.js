import assert from "node:assert/strict";
import { test } from "node:test";

import { fitted, isInSight, planned, planOf } from "../../static/js/layout/scroll-plan.js";
import { wantedInGraph } from "../../static/js/layout/wanted-in-graph.js";
import { wantedInMemory } from "../../static/js/layout/wanted-in-memory.js";
import { boxesOf } from "../../static/js/layout/group-contents.js";
import { memoryLayout } from "../../static/js/layout/memory-layout.js";
import { rowsAt } from "../../static/js/layout/memory-rows.js";
import { measuresFor } from "../../static/js/layout/measures.js";
import { withGranularity } from "../../static/js/run/stops/granularity.js";
import { stateAt } from "../../static/js/run/state-at.js";
import { indexed, laidOut, NAMES } from "./fixtures.js";

const MARGIN = 8;

/** A generator of random numbers from 0 to 1. Equal seeds give equal sequences. */
function randomOf(seed) {
  let state = seed * 2654435761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 3266489917) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

/**
 * Random input for the plan: sizes of a picture and a pane, and for each stop the boxes that must be
 * visible. Boxes of neighbouring stops are often close, sometimes far apart, and some stops have none.
 */
function generated(seed, count) {
  const random = randomOf(seed);
  const upTo = (most) => Math.floor(random() * most);
  const picture = { width: 200 + upTo(900), height: 200 + upTo(900) };
  const pane = { width: 60 + upTo(500), height: 60 + upTo(500) };
  let [x, y] = [0, 0];
  const stops = Array.from({ length: count }, () => {
    if (random() < 0.2) return { either: [], also: [] };
    const isNear = random() < 0.7;
    const [width, height] = [10 + upTo(isNear ? 60 : 400), 10 + upTo(isNear ? 60 : 400)];
    const place = (near, size, whole) =>
      Math.max(0, Math.min(whole - size, isNear ? near + upTo(80) - 40 : upTo(whole)));
    [x, y] = [place(x, width, picture.width), place(y, height, picture.height)];
    const first = {
      x,
      y,
      width: Math.min(width, picture.width - x),
      height: Math.min(height, picture.height - y),
    };
    const second = { ...first, x: Math.max(0, x - upTo(200)), y: Math.max(0, y - upTo(200)) };
    const other = { ...first, x: place(false, first.width, picture.width) };
    const either = [[[first]], [[first, second]], [[first], [other, second]]][upTo(3)];
    return { either, also: [second] };
  });
  return { picture, pane, stops };
}

const movesOf = (places) =>
  places.filter(({ x, y }, k) => k > 0 && (x !== places[k - 1].x || y !== places[k - 1].y)).length;

/** Whether a box and its margin are visible on one axis at a scroll position. */
function shows(box, pane, picture, position, start, size) {
  const last = Math.max(0, picture[size] - pane[size]);
  const margin = Math.min(MARGIN, (pane[size] - box[size]) / 2);
  const before = box[start] - position >= margin || position === 0;
  const after = position + pane[size] - box[start] - box[size] >= margin - 1e-9 || position === last;
  return before && after && position >= 0 && position <= last;
}

/**
 * The minimum number of scroll moves that show one box of each stop, found by trying all positions at which
 * a box becomes visible.
 */
function fewest(stops, pane, picture) {
  const edges = (start, size) => {
    const last = Math.max(0, picture[size] - pane[size]);
    const all = stops.flat().flatMap((box) => {
      const margin = Math.min(MARGIN, (pane[size] - box[size]) / 2);
      return [box[start] - margin, box[start] + box[size] + margin - pane[size]];
    });
    return [...new Set([0, last, ...all.filter((at) => at > 0 && at < last)])];
  };
  const places = edges("x", "width").flatMap((x) => edges("y", "height").map((y) => ({ x, y })));
  const isShown =
    ({ x, y }) =>
    (box) =>
      shows(box, pane, picture, x, "x", "width") && shows(box, pane, picture, y, "y", "height");
  let moves = places.map(() => 0);
  for (const boxes of stops.filter((each) => each.length > 0)) {
    const least = Math.min(...moves);
    moves = places.map((place, at) =>
      boxes.some(isShown(place)) ? Math.min(moves[at], least + 1) : Infinity,
    );
  }
  return Math.min(...moves);
}

test("one of a stop's lists of boxes is visible, as far as it fits into the pane", () => {
  for (let seed = 0; seed < 400; seed += 1) {
    const { picture, pane, stops } = generated(seed, 30);
    const all = stops.map((stop) => fitted(stop, pane));
    const places = planned(all, pane, picture, { x: 0, y: 0 });
    assert.equal(places.length, stops.length);
    for (const [k, { either }] of all.entries()) {
      const firsts = stops[k].either.map(([first]) => first);
      assert.equal(either.length > 0, firsts.length > 0);
      if (either.length === 0) continue;
      assert.ok(
        either.some((box) => isInSight(box, places[k], pane)),
        `${seed}: stop ${k}`,
      );
      const fits = ({ width, height }) => width <= pane.width && height <= pane.height;
      if (firsts.every(fits))
        assert.ok(
          firsts.some((first) => isInSight(first, places[k], pane)),
          `${seed}: all of what is the most important at stop ${k}`,
        );
    }
  }
});

test("all boxes that a stop must show are visible if they fit into the pane together", () => {
  const pane = { width: 100, height: 100 };
  const box = (x, y) => ({ x, y, width: 20, height: 20 });
  const { either } = fitted({ either: [[box(50, 50), box(100, 100), box(10, 10)]], also: [] }, pane);
  assert.deepEqual(either, [{ x: 50, y: 50, width: 70, height: 70 }]);
  const [, ...less] = fitted(
    {
      either: [
        [box(0, 0), box(70, 0)],
        [box(0, 0), box(900, 0)],
      ],
      also: [],
    },
    pane,
  ).either;
  assert.deepEqual(less, [], "what shows only its first box is no choice where another shows more");
});

test("no other scroll positions show as much with fewer moves than the plan", () => {
  let most = 0;
  for (let seed = 0; seed < 150; seed += 1) {
    const { picture, pane, stops } = generated(seed, 9);
    const all = stops.map((stop) => fitted(stop, pane));
    const moves = movesOf(planned(all, pane, picture, { x: 0, y: 0 }));
    const boxes = all.map(({ either }) => either);
    assert.equal(moves, fewest(boxes, pane, picture), `seed ${seed}`);
    most = Math.max(most, moves);
  }
  assert.ok(most >= 5, "some of them do move");
});

test("a picture that fits its pane never moves", () => {
  for (let seed = 0; seed < 100; seed += 1) {
    const { picture, stops } = generated(seed, 30);
    const at = planOf((k) => stops[k], stops.length, picture, picture);
    for (const k of stops.keys()) assert.deepEqual(at(k).place, { x: 0, y: 0 });
  }
});

test("a scroll position depends only on the stop, and computing it examines only nearby stops", () => {
  const { picture, pane, stops } = generated(3, 2000);
  const inOrder = planOf((k) => stops[k], stops.length, pane, picture);
  const expected = stops.map((_, k) => inOrder(k));
  let asked = 0;
  const jumping = planOf(
    (k) => {
      asked += 1;
      return stops[k];
    },
    stops.length,
    pane,
    picture,
  );
  assert.deepEqual(jumping(1500), expected[1500]);
  assert.ok(asked < 600, `${asked} stops were looked at`);
  for (const k of [...stops.keys()].reverse()) assert.deepEqual(jumping(k), expected[k]);
});

test("boxes of a stop stay visible until a later stop must show others", () => {
  const picture = { width: 100, height: 5000 };
  const pane = { width: 100, height: 300 };
  const box = { x: 0, y: 3000, width: 50, height: 50 };
  const at = planOf((k) => ({ either: k === 100 ? [[box]] : [], also: [] }), 400, pane, picture);
  for (const k of [100, 255, 256, 300, 355]) assert.ok(isInSight(box, at(k).place, pane), `stop ${k}`);
});

test("boxes for which the picture is not scrolled are visible if possible", () => {
  const picture = { width: 100, height: 1000 };
  const pane = { width: 100, height: 300 };
  const box = (y) => ({ x: 0, y, width: 50, height: 50 });
  const [{ y }] = planned([{ either: [box(500)], also: [box(300)] }], pane, picture, { x: 0, y: 700 });
  assert.ok(y <= 300 - MARGIN && y >= 550 + MARGIN - 300);
});

for (const granularity of /** @type {const} */ (["line", "node", "operator"]))
  test(`${granularity}: a stop must show the running Node and all receivers of its gradients`, () => {
    let count = 0;
    for (const name of NAMES) {
      const index = withGranularity(indexed(name), granularity);
      const layout = laidOut(index, "linear");
      for (const [k, { node }] of index.stops.entries()) {
        const { either } = wantedInGraph(index, layout, stateAt(index, k));
        if (node === null) continue;
        const [must] = either;
        count += 1;
        assert.ok(boxesOf(layout, node).includes(must[0]), `${name}, stop ${k}`);
        for (const { to } of index.gradients.filter((gradient) => gradient.node === node))
          assert.ok(
            boxesOf(layout, to).some((box) => must.includes(box)),
            `${name}, stop ${k}: to ${to}`,
          );
      }
    }
    assert.ok(granularity === "line" ? count === 0 : count > 20);
  });

test("in memory a stop must show written storages, the gradient and read storages", () => {
  for (const name of NAMES) {
    const index = indexed(name);
    const layout = memoryLayout(index, measuresFor(1440));
    const wanted = (k) => {
      const { either, also } = wantedInMemory(index, layout, stateAt(index, k));
      return (storage) =>
        [...either, also].some((list) => list.includes(layout.rows.find((row) => row.storage === storage)));
    };
    let count = 0;
    for (const [k, { node }] of index.stops.entries()) {
      const state = stateAt(index, k);
      const isWanted = wanted(k);
      for (const { storage, changed } of state.writes) {
        if (changed === false || !rowsAt(layout, state).some((row) => row.storage === storage)) continue;
        count += 1;
        assert.ok(isWanted(storage), `${name}, stop ${k}: S${storage} is written`);
      }
      const grad = state.tensors.get(state.tensors.get(index.nodes[node]?.variable)?.grad);
      if (grad !== undefined) assert.ok(isWanted(grad.geometry.storage), `${name}, stop ${k}: gradient`);
      const isShown = (storage) => rowsAt(layout, state).some((row) => row.storage === storage);
      for (const { geometry } of (index.saved_of[node] ?? []).filter((saved) =>
        isShown(saved.geometry.storage),
      ))
        assert.ok(isWanted(geometry.storage), `${name}, stop ${k}: S${geometry.storage} is read`);
    }
    assert.ok(count > 0);
  }
});

test("a step that makes parameters must show them together, starting with the first", () => {
  const index = indexed("data");
  const layout = memoryLayout(index, measuresFor(1440));
  const made = stateAt(index, 3); // the step makes w2, and the previous step made w1
  const { either } = wantedInMemory(index, layout, { ...made, before: index.stops[1].tick });
  const named = (name) =>
    layout.rows.find(({ slots }) =>
      slots.some(({ tensor }) => made.tensors.get(tensor)?.labels.some(({ text }) => text === name)),
    );
  assert.equal(either.length, 1);
  assert.deepEqual(
    either[0].filter((box) => layout.rows.includes(box)),
    [named("w1"), named("w2")],
  );
  assert.equal(wantedInMemory(index, layout, made).either.length, 1);
});

test("a step that makes parameters of several modules must show these together, starting with the uppermost", () => {
  const index = indexed("data");
  const state = stateAt(index, 3);
  const row = (y, role, from) => {
    const members = [{ storage: 0, from, to: Infinity, role, name: "weight" }];
    const fold = { isOpen: false, group: { key: `module ${y}` }, members };
    const times = { from: 0, freed: Infinity, until: Infinity };
    return {
      x: 0,
      y,
      width: 50,
      height: 50,
      key: `${y}`,
      storage: null,
      ...times,
      fold,
      slots: [],
      strip: null,
    };
  };
  const [low, high] = [row(300, "parameter", state.tick), row(100, "parameter", state.tick)];
  const others = [row(0, "parameter", state.tick + 1), row(500, "kept", state.tick)];
  const layout = { rows: [low, high, ...others], spares: null };
  assert.deepEqual(wantedInMemory(index, layout, state).either, [[high, low]]);
});
