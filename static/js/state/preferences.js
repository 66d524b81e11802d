/**
 * Owns the visitor's preferences, which are kept in the browser's storage: text or pictures, sizes,
 * contrast, presenter mode.
 */

import { computed, effect, signal } from "../../vendor/ui.js";
import { writeStored, readStored } from "../io/browser-storage.js";

/** @import {Signal} from "../../vendor/ui.js" */

const root = document.documentElement;

/** The sizes of text, in percent. */
export const SIZES = /** @type {const} */ ([90, 100, 115, 130, 150]);

/** The factor by which text and pictures are larger in presenter mode. */
const PRESENTER_SCALE = 1.4;

/** Whether the text view replaces the pictures. */
export const asText = storedSetting("text", false);
/** Whether the code runs while it is typed. */
export const isLive = storedSetting("live", false);
/** Whether colours have high contrast. */
export const hasContrast = storedSetting("contrast", matchMedia("(prefers-contrast: more)").matches);
/** Whether the page is in presenter mode: large type, only the run, and the keys of a clicker. */
export const isPresenting = storedSetting("presenting", false);
/** Whether the page asks about each step before it shows the step. */
export const isPredicting = storedSetting("predict", false);
/** Whether values are shown next to the lines of code. */
export const hasValues = storedSetting("values", true);
/** Whether keys without a modifier are shortcuts. Speech input may trigger such shortcuts by mistake. */
export const hasCharacterKeys = storedSetting("character-keys", true);
/** Whether the pane below the pictures is enlarged. */
export const hasLargePane = storedSetting("large-pane", false);
/** @type {Signal<(typeof SIZES)[number]>} */
export const textSize = signal(SIZES.find((size) => String(size) === readStored("size")) ?? 100);

/** The font size that the visitor chose in the browser's settings, relative to 16 px. */
const asked = parseFloat(getComputedStyle(root).fontSize) / 16;
/** The scale of text; 1 is the usual size. */
export const textScale = computed(() => (asked * textSize.value) / 100);
/** The scale of text, including the enlargement in presenter mode. */
export const scale = computed(() => textScale.value * (isPresenting.value ? PRESENTER_SCALE : 1));

// The style sheets read these attributes. theme.js has already set them before the first paint.
effect(() => root.setAttribute("data-contrast", hasContrast.value ? "on" : "off"));
effect(() => root.setAttribute("data-presenting", isPresenting.value ? "on" : "off"));
effect(() => root.setAttribute("data-size", String(textSize.value)));

/** @param {1 | -1} direction */
export function resize(direction) {
  textSize.value = SIZES[SIZES.indexOf(textSize.peek()) + direction] ?? textSize.peek();
  writeStored("size", String(textSize.peek()));
}

/**
 * Toggles a setting.
 * @param {Signal<boolean>} setting
 */
export function turn(setting) {
  setting.value = !setting.peek();
}

/**
 * A setting that is stored only when the visitor changes it. Without a stored value the setting has its
 * usual value.
 * @param {string} name
 * @param {boolean} usual
 * @returns {Signal<boolean>}
 */
function storedSetting(name, usual) {
  const chosen = readStored(name);
  const setting = signal(chosen === null ? usual : chosen === "on");
  let wasSet = false;
  effect(() => {
    const now = setting.value;
    if (wasSet) writeStored(name, now ? "on" : "off");
    wasSet = true;
  });
  return setting;
}
