/** Owns what the server wrote into the page: versions, lessons, what snippets may import, and which snippets a link names. */

/**
 * @typedef {object} Lesson
 * @property {string} slug
 * @property {number} order
 * @property {string} group
 * @property {Record<string, string>} title
 * @property {Record<string, string>} claim
 * @property {{source: string}} snippet
 */
/** @typedef {{version: string, torch: string, python: string, imports: string[], gpu: boolean, lessons: Lesson[], snippet_id: string | null, compare: string[] | null}} Boot */

/** @type {Boot} */
export const boot = JSON.parse(document.getElementById("boot")?.textContent ?? "{}");

/** Says who asks where no cookie can: in a frame of another site. */
export const pageToken = document.querySelector('meta[name="page-token"]')?.getAttribute("content") ?? "";
