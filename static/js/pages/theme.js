/*
 * Owns light and dark mode, and all other attributes that must be set before the first paint. The page loads
 * this module as a classic script in its head. The module also requests the messages, because it is the
 * first to know their language.
 */
import { preferredLanguage, wordsAddress } from "../io/language.js";

/**
 * Preloads the messages. When the script of the page later requests the same address, the browser uses this
 * response.
 */
function preloadWords() {
  const link = document.createElement("link");
  const href = wordsAddress(preferredLanguage(), "page");
  document.head.append(Object.assign(link, { rel: "preload", as: "fetch", crossOrigin: "anonymous", href }));
}

(() => {
  const key = "stepgrad.theme";
  const root = document.documentElement;
  const keepsNothing = root.getAttribute("data-keeps") === "nothing";
  const readStored = (/** @type {string} */ name) => {
    try {
      return keepsNothing ? null : localStorage.getItem(name);
    } catch {
      return null; // if storage is forbidden, the system's preference applies
    }
  };
  let stored = readStored(key);
  const prefers = matchMedia("(prefers-color-scheme: dark)");
  const set = () => {
    // The theme that the address or the parent page of a frame requests.
    const asked = root.getAttribute("data-asked-theme") ?? "auto";
    const chosen = asked === "auto" ? stored : asked;
    root.setAttribute("data-theme", chosen ?? (prefers.matches ? "dark" : "light"));
  };
  set();
  root.setAttribute(
    "data-contrast",
    readStored("stepgrad.contrast") ?? (matchMedia("(prefers-contrast: more)").matches ? "on" : "off"),
  );
  root.setAttribute("data-presenting", readStored("stepgrad.presenting") ?? "off");
  root.setAttribute("data-size", readStored("stepgrad.size") ?? "100");
  if (readStored("stepgrad.fonts") !== null) root.removeAttribute("data-fonts");
  if (document.currentScript?.hasAttribute("data-words")) preloadWords();
  prefers.addEventListener("change", set);
  root.addEventListener("stepgrad-asked-theme", set);
  root.addEventListener("stepgrad-theme", () => {
    stored = root.getAttribute("data-theme") === "dark" ? "light" : "dark";
    set();
    try {
      if (!keepsNothing) localStorage.setItem(key, stored);
    } catch {
      // if storage is forbidden, the choice is not stored
    }
  });
})();
