/**
 * The entry point of the chunk for making lectures. The page loads it in presenter mode, or when a visitor
 * makes or edits a lecture.
 */

export { Editing, loadLook } from "./editing.js";
export { keepWhatIsShown } from "./following.js";
export { keep, kept } from "./kept.js";
export { openMaking } from "./making.js";
export { OwnLectures, ownLectures } from "./own-lectures.js";
