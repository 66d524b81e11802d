/* Owns light and dark: set before the first paint, so this is a classic script in the head. */
(() => {
  const key = "stepgrad.theme";
  /** @type {string | null} */
  let kept = null;
  try {
    kept = localStorage.getItem(key);
  } catch {
    // storage may be forbidden; then the preference of the system holds
  }
  const prefers = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const set = (/** @type {string} */ theme) => root.setAttribute("data-theme", theme);
  set(kept ?? (prefers.matches ? "dark" : "light"));
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
