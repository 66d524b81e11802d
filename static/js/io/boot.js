/**
 * Owns the data that the server wrote into the page: versions, the heads of all lessons, what snippets may
 * import, and what the address names.
 */

/** @typedef {Record<string, string>} Words the same in every language */
/**
 * @typedef {{slug: string, order: number, group: string, title: Words}} Head an entry of the list of lessons
 */
/** @typedef {{line: number, expression: string, value: string}} Proof */
/** @typedef {{source: string, proof: Proof[]}} Program */
/** @typedef {{expression: string, value: string}} Check */
/**
 * @typedef {object} Attempt the change that a visitor is asked to make
 * @property {Words} task
 * @property {string} [ends] the type of what the run must raise; without it, it must finish
 * @property {Check[]} checks what the run must show
 * @property {{line: number, to: string}[]} change one way to do it
 */
/**
 * @typedef {object} Body
 * @property {Words} claim
 * @property {Words} question
 * @property {(string | Words)[]} choices
 * @property {number} answer from 1
 * @property {"right" | "wrong" | "half"} verdict of the claim
 * @property {Words} why
 * @property {Program} snippet
 * @property {Program} [fixed]
 * @property {Attempt} now_try
 */
/** @typedef {Head & Body} Lesson */
/**
 * How a frame of another page is shown; `step`: from 1, null: where the run opens; `by`: its unit;
 * `ancestors`: the origins that may frame it.
 * @typedef {{
 *   step: number | null,
 *   by: "line" | "node" | "operator",
 *   picture: "graph" | "memory" | null,
 *   ancestors: string[],
 * }} Embed
 */
/**
 * `imports`: importable packages, with versions, in the operator's order; `whole`: the lessons with
 * programs on the page; `source_bytes`: the most of a snippet; `program`: the one in its address;
 * `title`: of a standalone file; `room`: the code in its address.
 * @typedef {{
 *   version: string,
 *   torch: string,
 *   python: string,
 *   imports: [name: string, version: string][],
 *   source_bytes: number,
 *   gpu: boolean,
 *   lessons: Head[],
 *   whole: Lesson[],
 *   program: string | null,
 *   snippet_id: string | null,
 *   compare: string[] | null,
 *   room?: string | null,
 *   embed?: Embed,
 *   title?: string,
 * }} Boot
 */

/** The page; the tests of modules have none. */
const page = globalThis.document;

/** @type {Boot} */
export const boot = JSON.parse(page?.getElementById("boot")?.textContent ?? '{"lessons": [], "whole": []}');

/** Identifies the page where a cookie cannot: in a frame of another site. */
export const pageToken = page?.querySelector('meta[name="page-token"]')?.getAttribute("content") ?? "";
