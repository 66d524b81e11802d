import assert from "node:assert/strict";
import { test } from "node:test";

import { placesOf } from "../../static/js/layout/engine/closed.js";
import { framedRows } from "../../static/js/layout/engine/frames.js";
import { layeredPlaces } from "../../static/js/layout/engine/layered.js";
import { placesOnLine } from "../../static/js/layout/engine/network-simplex.js";
import { assemble } from "../../static/js/layout/engine/place.js";
import { measuresFor } from "../../static/js/layout/measures.js";
import { qualityOf } from "./drawn.js";

const MEASURES = measuresFor(1440);

/** A generator of random integers from 0 to `most` - 1, with the same sequence in every run. */
function chosen(seed) {
  let state = seed;
  return (most) => {
    state = (state * 48271) % 2147483647;
    return state % most;
  };
}

/** A graph of `count` boxes. `usesOf` gives the earlier boxes to which a box has edges. */
function graph(count, usesOf) {
  const size = { width: 160, height: 90, body: 56, pockets: [], around: -1, fold: null };
  const parts = Array.from({ length: count }, (_, node) => ({
    key: String(node),
    node,
    shape: "node",
    ...size,
  }));
  const lines = parts.flatMap(({ node }) =>
    usesOf(node).map((to, edge) => ({
      key: `${node}.${edge}`,
      node,
      edge,
      from: String(node),
      to: String(to),
      merged: [],
    })),
  );
  return { parts, lines };
}

const drawn = (component) => assemble([component], [layeredPlaces(component, MEASURES)], MEASURES);

/** The minimum sum of weighted distances, found by trying all integer positions. */
function leastSum(count, distances) {
  let least = Infinity;
  const places = new Array(count).fill(0);
  const try_ = (point) => {
    if (point < count) {
      for (places[point] = 0; places[point] < 2 * count; places[point] += 1) try_(point + 1);
      return;
    }
    if (distances.every(({ from, to, least: apart }) => places[to] - places[from] >= apart))
      least = Math.min(least, sumOf(places, distances));
  };
  try_(0);
  return least;
}

const sumOf = (places, distances) =>
  distances.reduce((sum, { from, to, weight }) => sum + weight * (places[to] - places[from]), 0);

test("network simplex keeps minimum distances and minimizes the weighted sum of lengths", () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const next = chosen(seed);
    const distances = [];
    for (let to = 1; to < 5; to += 1)
      for (const from of new Set([next(to), next(to)]))
        distances.push({ from, to, least: next(3), weight: next(4) });
    for (const isBalanced of [false, true]) {
      const places = placesOnLine(5, distances, isBalanced);
      for (const { from, to, least } of distances) assert.ok(places[to] - places[from] >= least, `${seed}`);
      assert.equal(sumOf(places, distances), leastSum(5, distances), `${seed}`);
    }
  }
});

test("a tree is drawn without crossings, and a chain as one straight line", () => {
  const next = chosen(7);
  assert.equal(qualityOf(drawn(graph(80, (node) => (node === 0 ? [] : [next(node)])))).crossings, 0);
  const { edges } = drawn(graph(30, (node) => (node === 0 ? [] : [node - 1])));
  assert.equal(new Set(edges.flatMap(({ points }) => points.map(([x]) => x))).size, 1);
});

test("edges that skip rows run next to the chain, without crossings and not behind a box", () => {
  const component = graph(40, (node) =>
    node === 0 ? [] : node % 5 === 0 ? [node - 1, node - 5] : [node - 1],
  );
  const { crossings, behind } = qualityOf(drawn(component));
  assert.deepEqual([crossings, behind], [0, 0]);
});

test("boxes of any graph do not overlap, and no edge is behind a box", () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const next = chosen(seed);
    const { parts, lines } = graph(30, (node) =>
      [...new Set([Math.max(0, node - 1 - next(3)), next(Math.max(1, node))])].filter((to) => to < node),
    );
    const layout = drawn({ parts, lines });
    for (const [at, a] of layout.boxes.entries())
      for (const b of layout.boxes.slice(at + 1))
        assert.ok(
          a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y,
        );
    assert.equal(qualityOf(layout).behind, 0, `${seed}`);
  }
});

test("a graph that is too large is refused at once", () => {
  const dense = graph(200, (node) => [node - 1, node >> 1].filter((to) => to >= 0 && to < node));
  assert.equal(layeredPlaces(dense, MEASURES), null);
});

/**
 * A graph with boxes in frames. `around`: the frame of each box; `parents`: the frame that contains each
 * frame.
 */
function framed(around, usesOf, parents) {
  const { parts, lines } = graph(around.length, usesOf);
  const inside = parts.map((part, node) => ({ ...part, around: around[node] }));
  const groups = parents.map((parent) => ({ parent }));
  const lay = (component, near) => layeredPlaces(component, MEASURES, near);
  return placesOf({ parts: inside, lines }, groups, MEASURES, lay);
}

test("separate components in a frame are placed on shelves, not in one long row", () => {
  const { frames, centres } = framed([0, 1, 1, 1, 1, 1, 0], () => [], [-1, 0]);
  assert.ok([...frames.values()].every(({ width }) => width < MEASURES.box.shelf + 100));
  const inner = frames.get(1);
  for (const [key, [x, y]] of centres)
    assert.equal(
      x > inner.x && x < inner.x + inner.width && y > inner.y && y < inner.y + inner.height,
      key !== "0" && key !== "6",
    );
});

test("the space between rows has room for the edges of groups that begin and end there", () => {
  const groups = [{ parent: -1 }, { parent: 0 }, { parent: 1 }];
  const parts = [2, 2, 1, 0].map((around) => ({ around }));
  const framed = framedRows(parts, { ranks: [1, 2, 2, 3], count: 5 }, groups);
  assert.deepEqual(framed, { above: [0, 0, 2, 1, 0], below: [0, 3, 0, 0, 0] });
});

test("an edge to a distant box outside a group leaves the group's frame at the top", () => {
  const around = [-1, -1, 0, 0, 0, 0];
  const usesOf = (node) => [[], [0], [], [], [3], [2, 1, 4]][node];
  const { frames, routes, centres } = framed(around, usesOf, [-1]);
  const { x, y, width } = frames.get(0);
  const within = routes.get("5.1").filter(([, at]) => at > y);
  assert.ok(centres.get("1")[1] < y && within.length > 1);
  assert.ok(within.every(([at]) => at > x && at < x + width));
});

test("the mark of a None edge is between its Node and the group that the Node uses", () => {
  const { parts, lines } = graph(5, (node) => [[], [], [0], [1], [2, 3]][node]);
  const none = { ...parts[0], key: "none", shape: "none", width: 44, height: 34, body: 34 };
  const all = [...parts.map((part) => ({ ...part, around: part.node < 4 ? 0 : -1 })), none];
  const edges = [...lines, { ...lines[0], key: "4.2", from: "4", to: "none" }];
  const { frames, centres } = layeredPlaces({ parts: all, lines: edges }, MEASURES, [{ parent: -1 }]);
  const { y, height } = frames.get(0);
  assert.ok(centres.get("none")[1] > y + height && centres.get("none")[1] < centres.get("4")[1]);
});
