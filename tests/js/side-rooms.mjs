/**
 * Measures the width of the memory picture and of its pane, on one side of a comparison. `node
 * side-rooms.mjs FOLDER WIDTH...` reads the documents in a folder, and prints two lines of JSON for each
 * document and width of the page: with the recorded numbers, and with the widest numbers that the cells can
 * contain, because `torch.empty` may give any.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { arranged, graphWithin, roomBeside } from "../../static/js/layout/arranging.js";
import { graphLayout } from "../../static/js/layout/engine/engine.js";
import { LEAST_SCALE } from "../../static/js/layout/measures.js";
import { memoryLayout } from "../../static/js/layout/memory-layout.js";
import { indexOf } from "../../static/js/run/facts.js";

const [folder, ...widths] = process.argv.slice(2);

const WIDEST = { bool: false, float: -1.2345e-38, complex: [-1.2345e-38, -1.2345e-38] };

function withWidest(document) {
  for (const { contents } of document.trace.storages)
    for (const [, { kind, dtype, values }] of contents ?? []) {
      if (kind !== "cells") continue;
      const [, of = ""] = /^(bool|float|bfloat|complex)/.exec(dtype) ?? [];
      values.fill(WIDEST[of.replace("bf", "f")] ?? "-9223372036854775808");
    }
  return document;
}

async function report(document, name, width) {
  const index = indexOf(document);
  const room = roomBeside(width, 1, false);
  const graph = await graphWithin(room, (measures) => graphLayout(index, { measures }));
  const folding = { groups: graph.groups, homes: graph.homes, open: undefined };
  const { memory, share } = await arranged(graph, room, null, (measures, most) =>
    memoryLayout(index, { ...measures, memory: { ...measures.memory, most } }, undefined, folding),
  );
  const isAlone = graph.boxes.length === 0;
  const widths = { memory: memory.width * LEAST_SCALE.memory, graph: graph.width * LEAST_SCALE.graph };
  const pane = room.side.width * (isAlone ? 1 : 1 - share);
  console.log(JSON.stringify({ name, width, ...widths, pane, share }));
}

for (const file of readdirSync(folder).sort()) {
  const name = file.replace(/\.json$/, "");
  const read = () => JSON.parse(readFileSync(join(folder, file), "utf8"));
  for (const width of widths.map(Number)) {
    await report(read(), name, width);
    await report(withWidest(read()), `${name}, widest`, width);
  }
}
