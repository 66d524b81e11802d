/** Owns the entry of the lecture chunk, which loads when a run is presented or a lecture is made. */

export { Editing, loadLook } from "./editing.js";
export { keepWhatIsShown } from "./following.js";
export { keep, kept } from "./kept.js";
export { openMaking } from "./making.js";
export { OwnLectures, ownLectures } from "./own-lectures.js";
