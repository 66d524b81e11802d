/** Owns the download of a file that the page made. */

/**
 * @param {Blob} blob
 * @param {string} name
 */
export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has started the download when this timer fires.
  setTimeout(() => URL.revokeObjectURL(link.href));
}
