/** Entry of the share chunk: the dialog of sharing, and what stands above a shared snippet. */

export { SharedHeading } from "./shared-heading.js";
export { SharedNote } from "./shared-note.js";
export { Sharing } from "./sharing.js";
