/**
 * Checks which conditions of a lesson's task a run fulfils. Reads [trace, attempt] from each line, and writes
 * a list for each.
 */
import { createInterface } from "node:readline";

import { conditionsOf } from "../../static/js/lazy/lesson/attempt.js";
import { indexOf } from "../../static/js/run/facts.js";

for await (const line of createInterface({ input: process.stdin })) {
  const [trace, attempt] = JSON.parse(line);
  console.log(JSON.stringify(conditionsOf(indexOf({ trace }), attempt).map(({ holds }) => holds)));
}
