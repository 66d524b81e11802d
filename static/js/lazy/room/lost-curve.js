/**
 * Owns the curve above the teacher's timeline with the number of students who pressed "I am lost" at each
 * step.
 */

import { h, useEffect, useLayoutEffect, useState } from "../../../vendor/ui.js";
import { noteIsOpen } from "../../state/presenting.js";
import { played, state } from "../../state/store.js";
import { range } from "../../state/timeline-range.js";
import { lostAt } from "./lost.js";
import { room } from "./room.js";

/**
 * The distance in px from the edge of the timeline's track to the first stop; the timeline uses the same
 * value.
 */
const EDGE = 18;
/** The maximum height of the curve in px. */
const HEIGHT = 16;

export function LostCurve() {
  const [box, setBox] = useState(/** @type {DOMRect | null} */ (null));
  const run = played.value;
  const lost = room.value?.link.state.value.lost ?? [];
  const measure = () => setBox(document.querySelector(".timeline .track")?.getBoundingClientRect() ?? null);
  useLayoutEffect(measure, [run, state.value, noteIsOpen.value, lost.length > 0]);
  useEffect(() => {
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    const track = document.querySelector(".timeline .track");
    if (track !== null) observer.observe(track);
    return () => observer.disconnect();
  }, [run]);
  if (run === null || box === null || lost.length === 0) return null;
  const counts = lostAt(run.index, lost);
  const { from, to } = range.value;
  const gap = (box.width - 2 * EDGE) / Math.max(1, to - from);
  const most = Math.max(...counts.values(), 1);
  const bars = [...counts].filter(([k]) => k >= from && k <= to);
  return h(
    "svg",
    {
      class: "lost-curve",
      width: box.width,
      height: HEIGHT + 12,
      style: { left: `${box.left}px`, top: `${box.top - HEIGHT - 2}px` },
      "aria-hidden": "true",
    },
    bars.map(([k, count]) => {
      const [x, height] = [EDGE + (k - from) * gap, Math.max(4, (HEIGHT * count) / most)];
      return h(
        "g",
        { key: k },
        h("rect", { x: x - 4, y: HEIGHT - height, width: 8, height }),
        h("text", { x: x + 6, y: HEIGHT - 2 }, count),
      );
    }),
  );
}
