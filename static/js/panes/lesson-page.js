/** Owns the place of a lesson on the page: what stands there where the page is that of a lesson. */

import { signal } from "../../vendor/ui.js";

/** @import {ComponentType, Signal} from "../../vendor/ui.js" */

/**
 * @typedef {object} LessonPage
 * @property {ComponentType} Panel the lesson before its run
 * @property {ComponentType} Switch from the story to the verdict, and back
 * @property {ComponentType} Verdict the lesson after its run
 * @property {() => boolean} isShown whether the verdict is what the story's pane shows
 */

/** @type {Signal<LessonPage | null>} */
export const lessonPage = signal(null);
