/**
 * Owns the messages between the player and its parent page. The parent page may send a theme or a step, and
 * receives the preferred height of the player. Messages are accepted only from origins that the server
 * lists.
 */

import { goTo } from "../../state/store.js";
import { orderIn } from "./orders.js";

/**
 * Adds the listener for messages from the parent page, which is never removed.
 * @param {string[]} ancestors accepted origins
 */
export function listenToPageAround(ancestors) {
  addEventListener("message", ({ data, origin, source }) => {
    if (source !== window.parent || source === window || !ancestors.includes(origin)) return;
    const order = orderIn(data);
    if (order?.theme !== undefined) setTheme(order.theme);
    if (order?.step !== undefined) goTo(order.step - 1);
  });
}

/** @param {string} theme */
function setTheme(theme) {
  const root = document.documentElement;
  root.setAttribute("data-asked-theme", theme);
  root.dispatchEvent(new Event("stepgrad-asked-theme"));
}

/**
 * Sends the preferred height of the player to the parent page, now and when its width changes.
 * @param {string[]} ancestors accepted origins
 * @param {HTMLElement} player
 */
export function tellHeight(ancestors, player) {
  const around = originAround();
  if (around === null || window.parent === window || !ancestors.includes(around)) return;
  let told = 0;
  const tell = () => {
    const height = Math.ceil(Number.parseFloat(getComputedStyle(player).minHeight));
    if (!Number.isFinite(height) || height === told) return;
    told = height;
    window.parent.postMessage({ type: "stepgrad", height }, around);
  };
  new ResizeObserver(tell).observe(player);
}

/** The origin of the parent page, if the browser reveals it. */
function originAround() {
  const [nearest] = location.ancestorOrigins ?? [];
  if (nearest !== undefined) return nearest;
  return document.referrer === "" ? null : new URL(document.referrer).origin;
}
