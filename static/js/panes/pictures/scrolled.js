/** Remembers the scroll position that a picture had before its layout or scale changed. */

import { useEffect, useRef } from "../../../vendor/ui.js";

/**
 * The scroll position that the last scroll event of a pane reported. After a picture became smaller, its
 * earlier position cannot be read from the page, because the browser has already limited it.
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
