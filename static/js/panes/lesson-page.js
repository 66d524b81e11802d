/** Holds the components for the page of a lesson; null on other pages. */

import { signal } from "../../vendor/ui.js";

/** @import {ComponentType, Signal} from "../../vendor/ui.js" */

/**
 * @typedef {object} LessonPage
 * @property {ComponentType} Panel the lesson before it runs
 * @property {ComponentType} Switch between the story and the verdict
 * @property {ComponentType} Verdict the lesson after it ran
 * @property {() => boolean} isShown whether the story pane shows the verdict
 */

/** @type {Signal<LessonPage | null>} */
export const lessonPage = signal(null);
