/** Loads the style sheets of chunks that are loaded at their first use. */

/**
 * Loads a style sheet, unless it is already loaded.
 * @param {URL} url
 * @returns {Promise<unknown>}
 */
export function loadStylesheet(url) {
  const address = url.pathname;
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
