/**
 * Computes the page's questions about runs for the Python tests: reads requests as JSON and prints the
 * answers as JSON.
 */
import { readFileSync } from "node:fs";

import { isRight, parsed, TOLERANCES } from "../../static/js/run/questions/answers.js";
import { askedOf, questionsBetween } from "../../static/js/run/questions/questions.js";
import { at, indexOf } from "../../static/js/run/facts.js";
import { waysOf } from "../../static/js/run/values/derivatives.js";
import { whyOf } from "../../static/js/words/why/why.js";

/** The answers, by the name of the request. */
const ANSWERS = {
  between: ({ trace, windows }) => {
    const index = indexOf({ trace });
    return windows.map(([after, until]) => questionsBetween(index, after, until));
  },
  truth: ({ trace, questions }) => {
    const index = indexOf({ trace });
    return questions.map((question) => askedOf(index, question));
  },
  judged: ({ typed }) =>
    typed.map(([asked, text]) => {
      const answer = parsed(asked.legal, text);
      return answer !== null && isRight(asked, answer);
    }),
  why: ({ trace, named, kind, choices }) => {
    const index = indexOf({ trace });
    const tick = index.stops.at(-1).tick;
    const path = index.names.find((each) => each.path === named);
    const { title, hops } = whyOf(index, tick, { kind, id: at(path.tensor, tick) }, choices);
    return { title, links: hops.flatMap((hop) => hop()) };
  },
  known: ({ names }) => names.filter((name) => waysOf(`${name}Backward0`, 0).length > 0),
  tolerances: () => TOLERANCES,
};

const { name, ...given } = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(ANSWERS[name](given)));
