/** Owns where a picture was scrolled to before its layout or its scale changed. */

import { useEffect, useRef } from "../../../vendor/ui.js";

/**
 * How far a pane is scrolled, as it last said: a smaller picture clips it before anybody can read it.
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
