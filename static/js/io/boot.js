/**
 * Owns the data that the server wrote into the page: versions, the heads of all lessons, the packages that
 * snippets may import, and the objects that the address names.
 */

/** @typedef {Record<string, string>} Words the same text by language */
/**
 * @typedef {{slug: string, order: number, group: string, title: Words}} Head an entry of the list of lessons
 */
/** @typedef {{line: number, expression: string, value: string}} Proof */
/** @typedef {{source: string, proof: Proof[]}} Program */
/** @typedef {{expression: string, value: string}} Check */
/**
 * @typedef {object} Attempt the change that a visitor is asked to make
 * @property {Words} task
 * @property {string} [ends] the type of the exception that the run must raise; without it, it must finish
 * @property {Check[]} checks what the run must show
 * @property {{line: number, to: string}[]} change one solution
 */
/**
 * @typedef {object} Body
 * @property {Words} claim
 * @property {Words} question
 * @property {(string | Words)[]} choices
 * @property {number} answer from 1
 * @property {"right" | "wrong" | "half"} verdict whether the claim is true
 * @property {Words} why
 * @property {Program} snippet
 * @property {Program} [fixed]
 * @property {Attempt} now_try
 */
/** @typedef {Head & Body} Lesson */
/**
 * The options of a player that another page embeds in a frame. `step`: from 1; null: the step at which the
 * run opens. `by`: the granularity of steps. `ancestors`: the origins of pages that may embed the player.
 * @typedef {{
 *   step: number | null,
 *   by: "line" | "node" | "operator",
 *   picture: "graph" | "memory" | null,
 *   ancestors: string[],
 * }} Embed
 */
/**
 * `imports`: importable packages with versions, in the operator's order. `whole`: the lessons whose programs
 * are on the page. `source_bytes`: the maximum size of a snippet. `program`: the lesson's program in the
 * address. `title`: the title of a standalone file. `room`: the code of the room in the address.
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

/** The document of the page; undefined in unit tests, which run without a browser. */
const page = globalThis.document;

/** @type {Boot} */
export const boot = JSON.parse(page?.getElementById("boot")?.textContent ?? '{"lessons": [], "whole": []}');

/**
 * The token that identifies this page to the server if the browser blocks cookies, as in a frame of another
 * site.
 */
export const pageToken = page?.querySelector('meta[name="page-token"]')?.getAttribute("content") ?? "";
