/**
 * Owns the preferences of a visitor, as long as this browser stores them: words or pictures, sizes, contrast,
 * presenter mode.
 */

import { computed, effect, signal } from "../../vendor/ui.js";
import { writeStored, readStored } from "../io/browser-storage.js";

/** @import {Signal} from "../../vendor/ui.js" */

const root = document.documentElement;

/** Sizes of text, in percent. */
export const SIZES = /** @type {const} */ ([90, 100, 115, 130, 150]);

/** How much larger everything is in presenter mode. */
const PRESENTER_SCALE = 1.4;

/** Whether the text view replaces the pictures. */
export const asText = storedSetting("text", false);
/** Whether the code runs as it is typed. */
export const isLive = storedSetting("live", false);
/** Whether contrast is high. */
export const hasContrast = storedSetting("contrast", matchMedia("(prefers-contrast: more)").matches);
/** Presenter mode: large type, nothing but the run, and a clicker's keys. */
export const isPresenting = storedSetting("presenting", false);
/** Whether the page asks about each step before it shows it. */
export const isPredicting = storedSetting("predict", false);
/** Whether values stand beside the lines of code. */
export const hasValues = storedSetting("values", true);
/** Whether single characters are shortcuts; speech input, or a slip, types them by mistake. */
export const hasCharacterKeys = storedSetting("character-keys", true);
/** Whether the pane below the pictures takes more room. */
export const hasLargePane = storedSetting("large-pane", false);
/** @type {Signal<(typeof SIZES)[number]>} */
export const textSize = signal(SIZES.find((size) => String(size) === readStored("size")) ?? 100);

/** How large the type is that the browser's own settings ask for; 1 is the usual size. */
const asked = parseFloat(getComputedStyle(root).fontSize) / 16;
/** The scale of the type; 1 is the usual size. */
export const textScale = computed(() => (asked * textSize.value) / 100);
/** The same with what presenter mode adds. */
export const scale = computed(() => textScale.value * (isPresenting.value ? PRESENTER_SCALE : 1));

// The style sheets read these; theme.js has set them before the first paint.
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
 * A setting that is stored once it is changed; until then the system's preference holds.
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
