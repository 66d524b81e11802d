/**
 * Prints the sentences of the page in both languages. The argument is a folder of documents. The output has
 * a line of JSON for every sentence of every step.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { indexOf } from "../../static/js/run/facts.js";
import { stateAt } from "../../static/js/run/state-at.js";
import { stepSentences } from "../../static/js/words/steps/sentences.js";
import { rowIn, sentenceTeller } from "../../static/js/words/sentence.js";
import { GRANULARITIES, withGranularity } from "../../static/js/run/stops/granularity.js";
import { bundleOf } from "../../static/js/state/bundle.js";
import { FluentResource } from "../../static/vendor/fluent.js";

export const LANGUAGES = ["en", "zh-CN"];

/** The whole catalogue of a language as one text. */
export function textOf(language) {
  const folder = fileURLToPath(new URL(`../../app/words/${language}/`, import.meta.url));
  return readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith(".ftl"))
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
}

/** Formats a sentence in a language. If a message or an argument is missing, throws an error. */
export function speaker(language) {
  const bundle = bundleOf(language);
  bundle.addResource(new FluentResource(textOf(language)));
  const say = (id, args) => {
    const pattern = bundle.getMessage(id)?.value;
    if (!pattern) throw new Error(`${language}: no message ${id}`);
    return bundle.formatPattern(pattern, args).trim();
  };
  return { say, tell: sentenceTeller(say, (things) => rowIn(language, things)) };
}

/** The formatted sentences of a step. */
export const sentencesAt = (index, k) =>
  stepSentences(index, stateAt(index, k), k > 0 ? stateAt(index, k - 1) : null);

/** The sentences of every stop of every granularity of a document, and the sentences of its findings. */
function* sentencesOf(document) {
  const index = indexOf(document);
  for (const granularity of GRANULARITIES) {
    const stepped = withGranularity(index, granularity);
    for (const k of stepped.stops.keys())
      for (const sentence of sentencesAt(stepped, k)) yield { granularity, k, sentence };
  }
  for (const { kind, arguments: args, fixes = [] } of index.findings) {
    for (const id of [
      `finding-${kind}-title`,
      `finding-${kind}`,
      ...fixes.map(({ title }) => `fix-${title}`),
    ])
      yield { granularity: "finding", k: 0, sentence: { id, args } };
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2];
  const speakers = LANGUAGES.map(speaker);
  for (const file of readdirSync(folder)) {
    for (const { granularity, k, sentence } of sentencesOf(
      JSON.parse(readFileSync(join(folder, file), "utf8")),
    )) {
      const said = `${JSON.stringify({ file, granularity, k, id: sentence.id, said: speakers.map(({ tell }) => tell(sentence)) })}\n`;
      process.stdout.write(said);
    }
  }
}
