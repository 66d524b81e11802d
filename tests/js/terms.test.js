import assert from "node:assert/strict";
import { test } from "node:test";

import { glossaryOf, TERM, unmarked } from "../../static/js/words/terms.js";
import { FluentBundle, FluentResource } from "../../static/vendor/fluent.js";
import { LANGUAGES, textOf } from "./spoken.js";

const GLOSSARY = `
term-storage = Storage
    .words = storage, storages
term-version = Version counter
    .words = version counter
term-grad = Gradient
    .words = \`.grad\`, grad
`;

function said(message, args = {}) {
  const bundle = new FluentBundle("en", { useIsolating: false });
  const resource = new FluentResource(`${GLOSSARY}${message}`);
  glossaryOf(resource.body).link(resource.body);
  bundle.addResource(resource);
  return bundle.formatPattern(bundle.getMessage(message.split(" ")[0]).value, args);
}

/** The marked terms in a text: the id of each term and the words that are its link. */
const terms = (text) =>
  text.split(TERM).flatMap((part, number, all) => (number % 3 === 2 ? [`${all[number - 1]} ${part}`] : []));

test("only whole words of a message are marked as terms, and code only if the whole of it is a term", () => {
  const text = said(
    "story-a = The storage, two storages, no restorage: the version counter of `storage` and its `.grad`, in `x.grad`.",
  );
  assert.deepEqual(terms(text), [
    "term-storage storage",
    "term-storage storages",
    "term-version version counter",
    "term-grad `.grad`",
  ]);
  assert.equal(
    unmarked(text),
    "The storage, two storages, no restorage: the version counter of `storage` and its `.grad`, in `x.grad`.",
  );
});

test("the argument of a message is never marked as a term, not even next to a term", () => {
  const message = "story-a = `{ $name }` has a storage, `{ $name }.grad` too: { $message }";
  const text = said(message, { name: "storage", message: "storage of a version counter" });
  assert.deepEqual(terms(text), ["term-storage storage"]);
});

test("terms are found in every variant of a message", () => {
  const message =
    "story-a = { $count ->\n        [one] a storage `{ $count }\n       *[other] storages\n    } and storage";
  assert.deepEqual(terms(said(message, { count: 2 })), ["term-storage storages", "term-storage storage"]);
});

test("titles, buttons and labels have no links to terms", () => {
  for (const id of ["finding-a-title", "memory-hint", "mode-a", "fix-a"])
    assert.deepEqual(terms(said(`${id} = a storage`)), [], id);
});

test("each term is used in a sentence or another term in both languages, and has an explanation", () => {
  for (const language of LANGUAGES) {
    const resource = new FluentResource(textOf(language));
    const { ids, link, mark } = glossaryOf(resource.body);
    link(resource.body);
    assert.ok(ids.length >= 25);
    const messages = JSON.stringify(resource.body);
    for (const { id, attributes } of resource.body.filter((entry) => entry.id.startsWith("term-"))) {
      assert.deepEqual(Object.keys(attributes).sort(), ["example", "means", "words"], id);
      const isUsed =
        messages.includes(JSON.stringify(`\u0001${id}\u0002`).slice(1, -1)) ||
        resource.body.some(
          (other) =>
            other.id !== id &&
            terms(mark(String(other.attributes?.means ?? ""))).some((term) => term.startsWith(`${id} `)),
        );
      assert.ok(isUsed, `${language}: nothing leads to ${id}`);
    }
  }
});
