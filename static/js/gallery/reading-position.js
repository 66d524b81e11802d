/** Finds the group of lessons that the visitor is reading, which is the group near the top of the window. */

import { signal, useEffect } from "../../vendor/ui.js";

/** @type {import("../../vendor/ui.js").Signal<string>} */
export const currentGroup = signal("");

/**
 * Observes the positions of the groups of lessons on the page.
 * @param {unknown} shown a new value observes them again
 */
export function useReadingPosition(shown) {
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries) if (isIntersecting) currentGroup.value = target.id;
      },
      { rootMargin: "-100px 0px -75% 0px" },
    );
    for (const part of document.querySelectorAll(".group")) observer.observe(part);
    return () => observer.disconnect();
  }, [shown]);
}
