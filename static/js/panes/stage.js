/** Owns the two pictures on the page: their size, what is scrolled into view at a step, and the line between them. */

import { h, useEffect, useLayoutEffect, useRef, useState } from "../../vendor/ui.js";
import { chosen } from "../choice.js";
import { asText, scale as sizeOfText } from "../preferences.js";
import { played, state } from "../store.js";
import { drawGraph } from "../stage/graph.js";
import { drawLinks } from "../stage/link.js";
import { drawMemory } from "../stage/memory.js";
import { graphFocus, memoryFocus } from "../stage/focus.js";
import { words } from "../words.js";
import { ChangesBar, chooseByKey, chooseByPointer } from "./changes.js";
import { Outline, TextSwitch } from "./outline.js";
import { isInSight } from "./tabs.js";
import { ZoomButtons, zoomByKey, zoomed } from "./zoom.js";

/** @import {Played} from "../store.js" */
/** @import {Box, State} from "../types.d.ts" */
/** @import {Say} from "../words.js" */

/** Text of 12.5 px must stay at 12 or more, and that of the graph grows against a smaller scale; beyond 1.5 a picture is no clearer. */
const SCALE = { graph: 0.8, memory: 0.96, most: 1.2, wide: 1.5 };
const LEAST_TEXT = 12;

/** Above so many boxes only those in sight are drawn. */
const MOST_DRAWN = 200;

/** Both panes and the lines that cross from one to the other. */
export function Stage() {
  const root = useRef(/** @type {HTMLDivElement | null} */ (null));
  const links = useRef(/** @type {SVGSVGElement | null} */ (null));
  const now = state.value;
  const say = words.value;
  useEffect(() => {
    const [host, svg] = [root.current, links.current];
    if (!host || !svg) return undefined;
    const redraw = () => drawLinks(svg, host, state.peek(), played.peek()?.index ?? null);
    const observer = new ResizeObserver(redraw);
    observer.observe(host);
    for (const svgOf of host.querySelectorAll(".picture svg")) observer.observe(svgOf);
    host.addEventListener("scroll", redraw, true);
    redraw();
    return () => {
      observer.disconnect();
      host.removeEventListener("scroll", redraw, true);
    };
  }, [now, say]);
  const own = played.value;
  if (!own || !now) return null;
  return h(
    "div",
    { class: `stage${asText.value ? " as-text" : ""}`, ref: root },
    h(Picture, { name: "graph", title: say("graph"), hint: say("graph-hint"), empty: own.graph.boxes.length === 0 ? say("graph-empty") : "", own, now, say }),
    h(Picture, { name: "memory", title: say("memory"), hint: say("memory-hint"), empty: own.memory.rows.length === 0 ? say("memory-empty") : "", own, now, say }),
    h("svg", { class: "links", ref: links, "aria-hidden": "true" }),
  );
}

/** @typedef {{name: "graph" | "memory", title: string, hint: string, empty: string, own: Played, now: State, say: Say}} PictureProps */

/** @param {PictureProps} props */
function Picture({ name, title, hint, empty, own, now, say }) {
  const box = useRef(/** @type {HTMLDivElement | null} */ (null));
  const svg = useRef(/** @type {SVGSVGElement | null} */ (null));
  const layout = own[name];
  const fitting = useScale(box, layout.width, layout.height, name);
  const scale = name === "graph" ? zoomed(fitting) : fitting;
  const isShown = !asText.value && isInSight(name);
  const draw = () => {
    if (!svg.current || !box.current || !isShown) return;
    const view = own.graph.boxes.length > MOST_DRAWN ? viewOf(box.current, svg.current, scale) : null;
    if (name === "graph") drawGraph(svg.current, { index: own.index, layout: own.graph, state: now, say, view, isSmall: scale < SCALE.memory });
    else drawMemory(svg.current, { index: own.index, layout: own.memory, state: now, say, chosen: chosen.value });
  };
  useLayoutEffect(draw, [own, now, say, scale, isShown, name === "memory" ? chosen.value : null]);
  const onScroll = name === "graph" && own.graph.boxes.length > MOST_DRAWN ? draw : undefined;
  useEffect(() => {
    const focus = name === "graph" ? graphFocus(own.graph, now) : memoryFocus(own.memory, now);
    if (box.current && focus) bringIntoView(box.current, svg.current, focus, scale);
  }, [own, now, scale, isShown]);
  useEffect(() => {
    if (name === "memory" && chosen.value) svg.current?.querySelector(".chosen-frame")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [chosen.value]);
  const size = { width: layout.width * scale, height: layout.height * scale, viewBox: `0 0 ${layout.width} ${layout.height}`, style: { "--least": `${LEAST_TEXT / Math.max(SCALE.graph, Math.min(1, scale))}px` } };
  const onKeyDown = name === "graph" ? (/** @type {KeyboardEvent} */ event) => zoomByKey(event, fitting) : chooseByKey;
  const onClick = name === "memory" ? chooseByPointer : undefined;
  return h(
    "section",
    { class: `pane picture-pane ${name}-pane`, "aria-labelledby": `${name}-title` },
    h("div", { class: "pane-head" }, h("h2", { id: `${name}-title` }, title), h("span", { class: "hint" }, hint), h("span", { class: "spring" }), name === "memory" ? [h(ChangesBar, { key: "c" }), h(TextSwitch, { key: "t" })] : !empty && isShown ? h(ZoomButtons, { fitting }) : null),
    h(
      "div",
      { class: "picture", ref: box, onScroll, onKeyDown, onClick, tabIndex: 0, role: "group", "aria-labelledby": `${name}-title` },
      empty ? h("p", { class: "empty", "aria-hidden": "true" }, empty) : h("svg", { ...size, ref: svg, class: `${name}${layout.measures.compact ? " compact" : ""}`, "aria-hidden": "true" }),
    ),
    h(Outline, { name, empty, own, now }),
  );
}

/** What can be seen and a little around it, in the picture's own units. @param {HTMLElement} host @param {SVGSVGElement} svg @param {number} scale @returns {Box} */
function viewOf(host, svg, scale) {
  const margin = 240;
  const [outer, inner] = [host.getBoundingClientRect(), svg.getBoundingClientRect()];
  const [x, y] = [(outer.left - inner.left - margin) / scale, (outer.top - inner.top - margin) / scale];
  return { x, y, width: (outer.width + 2 * margin) / scale, height: (outer.height + 2 * margin) / scale };
}

/** As large as fits, within limits; the same at every step. @param {{current: HTMLDivElement | null}} box @param {number} width @param {number} height @param {"graph" | "memory"} name */
function useScale(box, width, height, name) {
  const [scale, setScale] = useState(1);
  const larger = sizeOfText.value;
  useLayoutEffect(() => {
    const host = box.current;
    if (!host) return undefined;
    const measure = () => {
      if (host.clientWidth === 0) return; // not shown
      const across = (host.clientWidth - 4) / width;
      const down = (host.clientHeight - 4) / height;
      const wanted = Math.min(across, Math.max(down, larger * (name === "memory" ? SCALE.memory : 1)));
      setScale(Math.max(SCALE[name], Math.min(larger * (innerWidth >= 1800 ? SCALE.wide : SCALE.most), wanted)));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(host);
    measure();
    return () => observer.disconnect();
  }, [width, height, larger]);
  return scale;
}

/** Scrolls the least distance that shows what changed. @param {HTMLElement} host @param {SVGSVGElement | null} svg @param {Box} focus @param {number} scale */
function bringIntoView(host, svg, focus, scale) {
  if (!svg) return;
  const frame = svg.getBoundingClientRect();
  const outer = host.getBoundingClientRect();
  const left = frame.left - outer.left + host.scrollLeft + focus.x * scale;
  const top = frame.top - outer.top + host.scrollTop + focus.y * scale;
  const to = {
    left: least(host.scrollLeft, host.clientWidth, left, focus.width * scale),
    top: least(host.scrollTop, host.clientHeight, top, focus.height * scale),
  };
  if (Math.abs(to.left - host.scrollLeft) < 1 && Math.abs(to.top - host.scrollTop) < 1) return;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  host.scrollTo({ ...to, behavior: still ? "instant" : "smooth" });
}

/** @param {number} from @param {number} size @param {number} start @param {number} length */
function least(from, size, start, length) {
  const margin = 6;
  if (start - margin < from || length > size) return start - margin;
  if (start + length + margin > from + size) return start + length + margin - size;
  return from;
}
