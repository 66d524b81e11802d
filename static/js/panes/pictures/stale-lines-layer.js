/**
 * Owns the layer with the lines from stale saved tensors in the graph to their storages in memory. The layer
 * is redrawn at each step, and when a picture is scrolled or resized.
 */

import { useEffect, useRef } from "../../../vendor/ui.js";
import { drawing } from "../../io/drawing.js";
import { words } from "../../state/words.js";

/** @import {Index, State} from "../../run/types.d.ts" */

/**
 * @param {{current: HTMLDivElement | null}} root holds both pictures
 * @param {{current: SVGSVGElement | null}} links on top of both
 * @param {{index: Index} | null} run
 * @param {State | null} now
 */
export function useStaleLines(root, links, run, now) {
  const say = words.value;
  const draw = useRef(() => {});
  draw.current = () => {
    const [host, svg] = [root.current, links.current];
    if (host && svg) drawing().drawLinks(svg, host, now, run?.index ?? null);
  };
  const watch = useRef((/** @type {Element} */ _) => {});
  useEffect(() => {
    const host = root.current;
    if (!host) return undefined;
    const redraw = () => draw.current();
    const observer = new ResizeObserver(redraw);
    const watched = new WeakSet();
    watch.current = (element) => {
      // Observe each element once, because an element is reported whenever its observation begins.
      if (!watched.has(element)) observer.observe(element);
      watched.add(element);
    };
    watch.current(host);
    host.addEventListener("scroll", redraw, true);
    return () => {
      observer.disconnect();
      host.removeEventListener("scroll", redraw, true);
    };
  }, [run?.index]);
  useEffect(() => {
    for (const picture of root.current?.querySelectorAll(".picture svg") ?? []) watch.current(picture);
    draw.current();
  }, [run, now, say]);
}
