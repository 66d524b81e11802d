/**
 * The entry point of the chunk for sharing: the share dialog, and the heading and notes of a shared snippet.
 */

export { SharedHeading } from "./shared-heading.js";
export { SharedNote } from "./shared-note.js";
export { Sharing } from "./sharing.js";
