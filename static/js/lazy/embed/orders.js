/**
 * Validates messages from the page that embeds the player. Only an order to show a theme or a step is
 * accepted. Pure.
 */

const THEMES = /** @type {const} */ (["light", "dark", "auto"]);
const MOST_STEPS = 2 ** 31;

/** @typedef {{theme?: (typeof THEMES)[number], step?: number}} Order `step`: from 1 */

/**
 * The order that a message contains; null if the message is anything else.
 * @param {unknown} data
 * @returns {Order | null}
 */
export function orderIn(data) {
  if (typeof data !== "object" || data === null || Object.getPrototypeOf(data) !== Object.prototype)
    return null;
  const { type, ...asked } = /** @type {Record<string, unknown>} */ (data);
  const names = Object.keys(asked);
  if (type !== "stepgrad" || names.length === 0) return null;
  const { theme, step } = asked;
  if (names.some((name) => name !== "theme" && name !== "step")) return null;
  const chosen = THEMES.find((each) => each === theme);
  if ("theme" in asked && chosen === undefined) return null;
  if ("step" in asked && !isStep(step)) return null;
  return { ...(chosen && { theme: chosen }), ...(isStep(step) && { step }) };
}

/**
 * @param {unknown} step
 * @returns {step is number}
 */
function isStep(step) {
  return typeof step === "number" && Number.isInteger(step) && step >= 1 && step <= MOST_STEPS;
}
