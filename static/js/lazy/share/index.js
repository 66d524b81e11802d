/** The entry of the share chunk: the share dialog, and the heading of a shared snippet. */

export { SharedHeading } from "./shared-heading.js";
export { SharedNote } from "./shared-note.js";
export { Sharing } from "./sharing.js";
