/*
 * Owns light and dark, and what else of the look must stand before the first paint: a classic script in the
 * head.
 */
(() => {
  const key = "stepgrad.theme";
  const remembered = (/** @type {string} */ name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null; // storage may be forbidden; then the preference of the system holds
    }
  };
  let kept = remembered(key);
  const prefers = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const set = (/** @type {string} */ theme) => root.setAttribute("data-theme", theme);
  set(kept ?? (prefers.matches ? "dark" : "light"));
  root.setAttribute(
    "data-contrast",
    remembered("stepgrad.contrast") ?? (matchMedia("(prefers-contrast: more)").matches ? "on" : "off"),
  );
  root.setAttribute("data-presenting", remembered("stepgrad.presenting") ?? "off");
  root.setAttribute("data-size", remembered("stepgrad.size") ?? "100");
  prefers.addEventListener("change", () => kept === null && set(prefers.matches ? "dark" : "light"));
  root.addEventListener("stepgrad-theme", () => {
    kept = root.getAttribute("data-theme") === "dark" ? "light" : "dark";
    set(kept);
    try {
      localStorage.setItem(key, kept);
    } catch {
      // not remembered, then
    }
  });
})();
