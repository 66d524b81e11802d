/** Owns which part of the course is being read: the one below the top of the window. */

import { signal, useEffect } from "../../vendor/ui.js";

/** @type {import("../../vendor/ui.js").Signal<string>} */
export const currentGroup = signal("");

/**
 * Observes the shown parts.
 * @param {unknown} shown their dependency
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
