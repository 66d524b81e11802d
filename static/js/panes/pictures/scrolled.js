/** Owns the scroll position of a picture before its layout or scale changed. */

import { useEffect, useRef } from "../../../vendor/ui.js";

/**
 * The scroll position of a pane from its last event. The position cannot be read later, because a smaller
 * picture has already clipped it.
 * @param {{current: HTMLDivElement | null}} box
 */
export function useScrolled(box) {
  const scrolled = useRef({ left: 0, top: 0 });
  useEffect(() => {
    const host = box.current;
    const note = () => {
      if (host) scrolled.current = { left: host.scrollLeft, top: host.scrollTop };
    };
    host?.addEventListener("scroll", note);
    return () => host?.removeEventListener("scroll", note);
  }, []);
  return scrolled;
}
