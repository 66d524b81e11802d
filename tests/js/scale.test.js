/** Checks the style sheets: text has only the sizes of one scale, and distances are multiples of 4 px. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

/**
 * The style sheets whose text must have a size of the scale. In presenter.css text may be larger, so that it
 * can be read from the last row.
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
/**
 * The style sheets in which all distances must be multiples of 4 px. Distances up to FINER px, such as
 * widths of borders, are exempt.
 */
const ON_GRID = [...SHEETS, "presenter"];
const FINER = 3;

/** @param {string} sheet */
function read(sheet) {
  return readFileSync(new URL(`../../static/css/${sheet}.css`, import.meta.url), "utf-8");
}

test("text has only sizes of the scale", () => {
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

test("distances are multiples of 4 px", () => {
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
