/**
 * Checks which conditions of a lesson's task a run fulfils. Reads a line of JSON `[trace, attempt]` for each
 * run, and prints a list of its conditions.
 */
import { createInterface } from "node:readline";

import { conditionsOf } from "../../static/js/lazy/lesson/attempt.js";
import { indexOf } from "../../static/js/run/facts.js";

for await (const line of createInterface({ input: process.stdin })) {
  const [trace, attempt] = JSON.parse(line);
  console.log(JSON.stringify(conditionsOf(indexOf({ trace }), attempt).map(({ holds }) => holds)));
}
