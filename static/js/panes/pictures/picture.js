/**
 * Owns one picture on the page: its scale, its viewport, and its scroll position at a step. The picture does
 * not use the store.
 */

import { h, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../../../vendor/ui.js";
import { wantedInGraph } from "../../layout/wanted-in-graph.js";
import { nearestRow, wantedInMemory } from "../../layout/wanted-in-memory.js";
import { hasMinimap, LEAST_SCALE as SCALE, scaleOf } from "../../layout/measures.js";
import { isInSight } from "../../layout/scroll-plan.js";
import { drawing } from "../../io/drawing.js";
import { useAnchor } from "./anchor.js";
import { useCamera } from "./camera.js";
import { useFollowing } from "./following.js";
import { Minimap } from "./minimap.js";
import { viewOf } from "./viewport.js";

/** @import {Box, Chain, GraphBox, GraphLayout, Index, MemoryLayout} from "../../run/types.d.ts" */
/** @import {State, Subject} from "../../run/types.d.ts" */
/** @import {Shape} from "../../stage/svg.js" */
/** @import {Say} from "../../run/types.d.ts" */
/** @import {Fit} from "./graph-zoom.js" */
/** @import {Followed} from "./following.js" */

/**
 * The minimum size of text in px. As the scale shrinks, text of the graph grows relative to its boxes. In
 * presenter mode text grows only if the boxes have room.
 */
const LEAST_TEXT = { usual: 12, presented: 20, most: 15 };

/**
 * The distance that the box at the cursor keeps from the search above it, in px, and from the card below it,
 * as a share of the pane's height.
 */
const SPARE = { above: 56, below: 0.48 };

/**
 * The maximum number of boxes or rows that are all drawn. Of more boxes or rows, only the visible ones are
 * drawn.
 */
const MOST_DRAWN = 200;

/**
 * The minimum margin in px beyond the edge of the pane that is drawn if only visible boxes or rows are
 * drawn.
 */
const AHEAD = 100;

/**
 * @typedef {object} Common
 * @property {Index} index
 * @property {State} now
 * @property {Say} say
 * @property {boolean} isShown
 * @property {number} larger size of text relative to the default
 * @property {number} [text] `larger` without the increase of presenter mode, which applies to any pane
 * @property {boolean} [isShort] whether the pane is wide and low, so that the picture is drawn small
 * @property {boolean} [isPresented] whether the page is in presenter mode
 * @property {boolean} [isHeld] whether the picture keeps its scale when its pane changes its size
 * @property {string} label id of the element that names the picture
 * @property {(fit: Fit, host: HTMLElement) => void} [onFit] called when the scale that fits changes
 * @property {(event: KeyboardEvent, fit: Fit) => void} [onKeyDown]
 * @property {(event: MouseEvent) => void} [onClick]
 * @property {Box | null} [elsewhere] box to scroll to if nothing changed in the picture
 * @property {((view: Box | null) => Shape[]) | undefined} [over] shapes on top of the picture, in its units
 * @property {Chain | undefined} [chain] the answer to "Why?", which is marked
 * @property {unknown} [marks] a value that changes when these shapes change
 */
/**
 * @typedef {Common & {
 *   name: "graph",
 *   layout: GraphLayout,
 *   zoomed: (fit: Fit) => number,
 *   zoomBy?: (fit: Fit, factor: number) => void,
 *   cursor?: GraphBox | null,
 *   hits?: Set<string>,
 * }} GraphProps
 */
/** @typedef {Common & {name: "memory", layout: MemoryLayout, chosen: Subject | null}} MemoryProps */

/** @type {Set<string>} */
const NOTHING = new Set();

/** @param {GraphProps | MemoryProps} props */
export function Picture(props) {
  const { name, layout, now, say, isShown, onFit } = props;
  const box = useRef(/** @type {HTMLDivElement | null} */ (null));
  const svg = useRef(/** @type {SVGSVGElement | null} */ (null));
  const { fitting, room } = useFitting(box, layout, name === "graph" ? layout.groups : layout, name, props);
  const fit = { fitting, whole: Math.min(fitting, wholeOf(room, layout)) };
  const scale = name === "graph" ? props.zoomed(fit) : fitting;
  const isLarge = (name === "graph" ? layout.boxes : layout.rows).length > MOST_DRAWN;
  const chosen = name === "memory" ? props.chosen : null;
  const latest = useRef(fit);
  latest.current = fit;
  const zoomBy = name === "graph" ? props.zoomBy : undefined;
  useCamera(
    box,
    layout.width,
    scale,
    useMemo(() => zoomBy && ((/** @type {number} */ factor) => zoomBy(latest.current, factor)), [zoomBy]),
  );
  const isFolding = useAnchor(box, layout, scale);
  const { onScroll, show, place } = useFollowing(box, followed(props, scale, fitting, room), isFolding);
  const drawn = useRef(/** @type {Box | null} */ (null));
  const least = leastText(scale, fitting, props);
  const draw = () => {
    if (!svg.current || !box.current || !isShown || room === "") return;
    const pane = props.isHeld ? roomOf("", box.current) : roomOf(room, box.current);
    drawn.current = isLarge ? viewOf(pane, place(), layout.width, scale) : null;
    drawInto(svg.current, props, { scale, room: pane.across, least }, drawn.current);
  };
  const drawWhatComes = () => {
    if (!svg.current || !box.current || drawn.current === null) return;
    const near = viewOf(roomOf(room, box.current), place(), layout.width, scale, AHEAD);
    if (!isInSight(near, drawn.current, drawn.current)) draw();
  };
  const [cursor, hits] = name === "graph" ? [props.cursor ?? null, props.hits] : [null, undefined];
  useLayoutEffect(draw, [
    layout,
    now,
    say,
    scale,
    least,
    isShown,
    chosen,
    cursor,
    hits,
    props.marks,
    props.chain,
    isLarge ? room : room === "",
  ]);
  useEffect(() => {
    if (!cursor || !box.current) return;
    const [above, below] = [SPARE.above / scale, (SPARE.below * box.current.clientHeight) / scale];
    show({ ...cursor, y: cursor.y - above, height: cursor.height + above + below });
  }, [cursor]);
  const asked = useRef({ chosen, k: -1, isUnseen: chosen !== null, fitting, room });
  useEffect(() => {
    const was = asked.current;
    const isNew = was.chosen !== chosen;
    const k = isNew ? now.k : was.k;
    // If the pane changes its size at the step of the selection, the selection stays visible.
    const isResized = was.fitting !== fitting || was.room !== room;
    const isWanted = chosen !== null && (isNew || was.isUnseen || (isResized && k === now.k));
    const frame = isWanted ? svg.current?.querySelector(".chosen-frame") : null;
    asked.current = { chosen, k, isUnseen: isWanted && !frame, fitting, room }; // the group is still folded
    frame?.scrollIntoView({ block: was.isUnseen && !isNew ? "center" : "nearest", inline: "nearest" });
  }, [chosen, layout, fitting, room]);
  useEffect(() => {
    if (box.current) onFit?.(fit, box.current);
  }, [fit.fitting, fit.whole]);
  const size = {
    width: layout.width * scale,
    height: layout.height * scale,
    viewBox: `0 0 ${layout.width} ${layout.height}`,
    style: { "--least": `${least}px` },
  };
  const picture = h(
    "div",
    {
      class: "picture",
      ref: box,
      onScroll: () => {
        onScroll();
        drawWhatComes();
      },
      onKeyDown: (/** @type {KeyboardEvent} */ event) => props.onKeyDown?.(event, fit),
      onClick: props.onClick,
      tabIndex: 0,
      role: "group",
      "aria-labelledby": props.label,
    },
    h("svg", {
      ...size,
      ref: svg,
      class: `${name}${layout.measures.compact ? " compact" : ""}`,
      "aria-hidden": "true",
    }),
  );
  return name === "graph" && isShown && hasMinimap(layout)
    ? h(
        "div",
        { class: "with-minimap" },
        picture,
        h(Minimap, { host: box, index: props.index, layout, now, scale, room }),
      )
    : picture;
}

/**
 * The minimum size of text in units of a picture.
 * @param {number} scale
 * @param {number} fitting
 * @param {Common} props
 */
function leastText(scale, fitting, { isPresented = false }) {
  if (isPresented) return Math.min(LEAST_TEXT.most, LEAST_TEXT.presented / scale);
  return LEAST_TEXT.usual / Math.max(Math.min(SCALE.graph, fitting), Math.min(1, scale));
}

/**
 * The properties with which a picture follows the run.
 * @param {GraphProps | MemoryProps} props
 * @param {number} scale
 * @param {number} fitting
 * @param {string} room
 * @returns {Followed<any>}
 */
function followed({ name, index, now, layout, isShown, elsewhere = null }, scale, fitting, room) {
  const isGraph = name === "graph";
  return {
    index,
    now,
    layout,
    wanted: isGraph ? wantedInGraph : wantedInMemory,
    elsewhere: (view) => elsewhere ?? (isGraph ? null : nearestRow(layout, now, view)),
    scale,
    fitting,
    room,
    isShown,
  };
}

/**
 * @param {SVGSVGElement} root
 * @param {GraphProps | MemoryProps} props
 * @param {{scale: number, room: number, least: number}} pane `room`: its width in px
 * @param {Box | null} view
 */
function drawInto(root, props, { scale, room, least }, view) {
  const { index, now, say, chain } = props;
  const over = props.over?.(view) ?? [];
  if (props.name === "graph")
    drawing().drawGraph(root, {
      index,
      layout: props.layout,
      state: now,
      say,
      view,
      scale,
      spare: Math.max(0, room / scale - props.layout.width) / 2,
      least,
      isSmall: props.layout.measures.terse || scale < SCALE.memory,
      cursor: props.cursor ?? null,
      hits: props.hits ?? NOTHING,
      chain,
      over,
    });
  else {
    const { layout, chosen } = props;
    drawing().drawMemory(root, { index, layout, state: now, say, view, chosen, over });
  }
}

/**
 * The size of a pane in px. An unknown size is read from the pane.
 * @param {string} room
 * @param {HTMLElement} host
 */
function roomOf(room, host) {
  const [across = host.clientWidth, down = host.clientHeight] =
    room === "" ? [] : room.split(" ").map(Number);
  return { across, down };
}

/**
 * The scale that shows all of a picture.
 * @param {string} room
 * @param {{width: number, height: number}} layout
 */
function wholeOf(room, { width, height }) {
  const [across = 1, down = 1] = room === "" ? [] : room.split(" ").map(Number);
  return room === "" ? 1 : Math.min((across - 4) / width, (down - 4) / height);
}

/**
 * The scale that fits, within limits. This scale is the same at every step.
 * @param {{current: HTMLDivElement | null}} box
 * @param {{width: number, height: number}} layout
 * @param {unknown} run while it is the same, a picture keeps its scale when it folds and unfolds
 * @param {"graph" | "memory"} name
 * @param {{larger: number, text?: number, isHeld?: boolean, isShort?: boolean, isPresented?: boolean}} props
 */
function useFitting(box, { width, height }, run, name, { isHeld = false, ...props }) {
  const { larger, text, isShort, isPresented } = props;
  const [fitting, fit] = useState({ fitting: 1, room: "" });
  useLayoutEffect(() => {
    const host = box.current;
    if (!host || isHeld) return undefined;
    const measure = () => {
      if (host.clientWidth === 0) return; // not shown
      const fits = { across: (host.clientWidth - 4) / width, down: (host.clientHeight - 4) / height };
      const scale = scaleOf(name, fits, { width: innerWidth, larger, text, isShort, isPresented });
      const room = `${host.clientWidth} ${host.clientHeight}`;
      fit((old) => (old.fitting === scale && old.room === room ? old : { fitting: scale, room }));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(host);
    // The first time, wait for the observer. Reading the size would make the browser compute a layout while
    // it shows a run.
    if (fitting.room !== "") measure();
    return () => observer.disconnect();
  }, [run, larger, text, isHeld, isShort, isPresented]);
  return fitting;
}
