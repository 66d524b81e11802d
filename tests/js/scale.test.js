/** The page's text has the sizes of one scale, and what stands apart does so by steps of 4 px. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

/**
 * Whose text is on the scale: not the presenter's, whose timeline has the size that the last row of a hall
 * reads.
 */
const SHEETS = [
  "compare",
  "gallery",
  "lesson",
  "page",
  "panes",
  "room",
  "small",
  "steps",
  "text",
  "timeline",
];
const SCALE = ["tiny", "small", "text", "large", "title", "display", "code-size", "code-in-text", "mark"];
/** Sheets in which each distance is on the grid; what is finer is within a letter or a border. */
const ON_GRID = [...SHEETS, "presenter"];
const FINER = 3;

/** @param {string} sheet */
function read(sheet) {
  return readFileSync(new URL(`../../static/css/${sheet}.css`, import.meta.url), "utf-8");
}

test("text has the sizes of the scale", () => {
  const sizes = SHEETS.flatMap((sheet) =>
    [...read(sheet).matchAll(/[\s{;]font(?:-size)?: ([^;}]+)/g)].map(([, set = ""]) => `${sheet}: ${set}`),
  );
  const isOnScale = (/** @type {string} */ set) =>
    /: inherit$/.test(set) ||
    (SCALE.some((size) => set.includes(`var(--${size})`)) &&
      !/\d(px|rem)|calc/.test(set.replace(/\/\S+/, "")));
  assert.ok(sizes.length > 100);
  assert.deepEqual(
    sizes.filter((set) => !isOnScale(set)),
    [],
  );
});

test("distances are steps of 4 px", () => {
  const set = ON_GRID.flatMap((sheet) =>
    [...read(sheet).matchAll(/[\s{;](?:padding|margin|gap)(?:-\w+)*: ([^;}]+)/g)].map(
      ([, lengths = ""]) => `${sheet}: ${lengths}`,
    ),
  );
  const isOff = (/** @type {string} */ text) =>
    [...text.matchAll(/(?<![\w.(-]|, )(\d+(?:\.\d+)?)px(?![^(]*\))/g)].some(
      ([, length]) => Number(length) > FINER && Number(length) % 4 !== 0,
    );
  assert.ok(set.length > 100);
  assert.deepEqual(set.filter(isOff), []);
});
