/**
 * Owns collecting the tables of a trace that arrives whole or in pieces. Each piece adds records and updates
 * earlier records (app/trace/FORMAT.md). Pure.
 */

import { legibleTables, withLegible } from "./legible.js";

/** @import {Trace, Variable} from "./trace.d.ts" */

/** @typedef {Partial<Omit<Trace, "source" | "header" | "ended">>} Tables */
/** @typedef {keyof Tables} Table */
/** @typedef {{id: number} & Record<string, unknown>} Update */
/** @typedef {Partial<Trace> & {pieces?: number}} Piece */

/** @type {readonly Table[]} */
const TABLES = [
  "files",
  "steps",
  "frames",
  "outputs",
  "names",
  "variables",
  "tensors",
  "storages",
  "version_counters",
  "writes",
  "modules",
  "nodes",
  "saved_tensors",
  "gradients",
  "hooks",
];

/** All tables, without records. */
export function noTables() {
  const empty = /** @type {unknown} */ (Object.fromEntries(TABLES.map((table) => [table, []])));
  return /** @type {Required<Tables>} */ (empty);
}

/**
 * Adds the records of a piece to the tables with legible text, and applies the piece's updates to earlier
 * records.
 * @param {Required<Tables>} tables
 * @param {Piece} piece
 */
export function addPiece(tables, piece) {
  const legible = legibleTables(piece);
  for (const name of TABLES) {
    const table = /** @type {object[]} */ (tables[name]);
    for (const record of legible[name] ?? []) table.push(record);
  }
  for (const name of TABLES) {
    for (const update of updatesIn(piece, `${name.slice(0, -1)}_updates`))
      append(tables[name], name === "variables" ? legibleUpdate(update) : update);
  }
}

/**
 * @param {Piece} piece
 * @param {string} name
 */
function updatesIn(piece, name) {
  return /** @type {Record<string, Update[]>} */ (/** @type {unknown} */ (piece))[name] ?? [];
}

/** @param {Update} update */
function legibleUpdate(update) {
  return withLegible(/** @type {Update & Pick<Variable, "value">} */ (update));
}

/**
 * @param {object[]} table
 * @param {Update} update
 */
function append(table, { id, ...facts }) {
  const record = /** @type {Record<string, unknown> | undefined} */ (table[id]);
  if (record === undefined) return;
  for (const [field, more] of Object.entries(facts)) {
    const known = record[field];
    if (!Array.isArray(more)) record[field] = more;
    else if (!Array.isArray(known)) record[field] = [...more];
    else for (const fact of more) known.push(fact);
  }
}
