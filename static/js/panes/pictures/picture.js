/**
 * Owns one picture on the page: its scale, its visible part, and its scroll position at a step. All data are
 * passed as properties, because comparisons and lectures use pictures, too.
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
 * The minimum size in px of text on the screen. When the graph is scaled down, its text is enlarged relative
 * to its boxes to keep this size. In presenter mode text is enlarged only as far as the boxes have room, up
 * to `most` picture units.
 */
const LEAST_TEXT = { usual: 12, presented: 20, most: 15 };

/**
 * How far the box at the cursor stays from the edges of the pane: `above` in px, because of the search
 * field, and `below` as a share of the pane's height, because of the box's card.
 */
const SPARE = { above: 56, below: 0.48 };

/** If a picture has more boxes or rows than this, only the visible ones are drawn. */
const MOST_DRAWN = 200;

/**
 * If only visible boxes or rows are drawn, at least this margin in px beyond the edges of the pane is drawn,
 * too.
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
    // If the pane changes its size at the step at which the selection was made, the selection stays visible.
    const isResized = was.fitting !== fitting || was.room !== room;
    const isWanted = chosen !== null && (isNew || was.isUnseen || (isResized && k === now.k));
    const frame = isWanted ? svg.current?.querySelector(".chosen-frame") : null;
    // `isUnseen`: the selected item is not drawn yet, because its group is folded.
    asked.current = { chosen, k, isUnseen: isWanted && !frame, fitting, room };
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
 * The minimum size of text in picture units, which depends on the scale.
 * @param {number} scale
 * @param {number} fitting
 * @param {Common} props
 */
function leastText(scale, fitting, { isPresented = false }) {
  if (isPresented) return Math.min(LEAST_TEXT.most, LEAST_TEXT.presented / scale);
  return LEAST_TEXT.usual / Math.max(Math.min(SCALE.graph, fitting), Math.min(1, scale));
}

/**
 * The properties for `useFollowing`, with which a picture scrolls to the items of each step.
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
 * The size of a pane in px. If `room` does not contain it, it is read from the element.
 * @param {string} room
 * @param {HTMLElement} host
 */
function roomOf(room, host) {
  const [across = host.clientWidth, down = host.clientHeight] =
    room === "" ? [] : room.split(" ").map(Number);
  return { across, down };
}

/**
 * The scale at which all of a picture is visible in its pane.
 * @param {string} room
 * @param {{width: number, height: number}} layout
 */
function wholeOf(room, { width, height }) {
  const [across = 1, down = 1] = room === "" ? [] : room.split(" ").map(Number);
  return room === "" ? 1 : Math.min((across - 4) / width, (down - 4) / height);
}

/**
 * The scale at which a picture fits its pane, within limits. This scale is the same at every step of a run.
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
    // The first time, wait until the observer reports the size. Reading the size here would make the browser
    // compute the layout once more while it shows a run.
    if (fitting.room !== "") measure();
    return () => observer.disconnect();
  }, [run, larger, text, isHeld, isShort, isPresented]);
  return fitting;
}
