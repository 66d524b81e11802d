/** Owns the style sheet of the comparison, which loads with the first one. */

/** Load it, unless it is loaded already. */
export function loadStylesheet() {
  const address = new URL("../../../css/compare.css", import.meta.url).pathname;
  if (document.querySelector(`link[href="${address}"]`) !== null) return Promise.resolve();
  const sheet = document.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = address;
  const loaded = new Promise((resolve, reject) => {
    sheet.onload = resolve;
    sheet.onerror = reject;
  });
  document.head.append(sheet);
  return loaded;
}
