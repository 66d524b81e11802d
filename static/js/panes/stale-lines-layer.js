/**
 * Owns when the lines between the pictures are redrawn: at a step, and when a picture is scrolled or resized.
 */

import { useEffect } from "../../vendor/ui.js";
import { drawing } from "../io/drawing.js";
import { words } from "../state/words.js";

/** @import {Index, State} from "../run/types.d.ts" */

/**
 * @param {{current: HTMLDivElement | null}} root holds both pictures
 * @param {{current: SVGSVGElement | null}} links on top of both
 * @param {{index: Index} | null} run
 * @param {State | null} now
 */
export function useStaleLines(root, links, run, now) {
  const say = words.value;
  useEffect(() => {
    const [host, svg] = [root.current, links.current];
    if (!host || !svg) return undefined;
    const redraw = () => drawing().drawLinks(svg, host, now, run?.index ?? null);
    const observer = new ResizeObserver(redraw);
    observer.observe(host);
    for (const picture of host.querySelectorAll(".picture svg")) observer.observe(picture);
    host.addEventListener("scroll", redraw, true);
    redraw();
    return () => {
      observer.disconnect();
      host.removeEventListener("scroll", redraw, true);
    };
  }, [run, now, say]);
}
