/**
 * Shows, in presenter mode, that panes have more content than is visible. A mark is drawn at the edge of
 * such a pane, and the story is cut between two lines of text.
 */

import { h, useEffect, useLayoutEffect, useRef, useState } from "../../../vendor/ui.js";
import { played, state } from "../../state/store.js";

/** @typedef {{x: number, y: number, turn: number}} Mark `turn`: the rotation of its arrow, in degrees */

/** Hidden content smaller than this size in px has no mark, because it is only the margin of a picture. */
const MARGIN = 10;
/** How far, in px, the frame around a word extends below the word's line of text. */
const FRAME = 3;
/** The width and height of a mark in px. */
const SIZE = 26;
/** The SVG path of an arrow that points down, in a square of the mark's size. */
const ARROW = "M6,10 h14 l-7,8 z";

export function Beyond() {
  const [marks, setMarks] = useState(/** @type {Mark[]} */ ([]));
  const look = useRef(() => undefined);
  const isNew = useRef(true);
  useEffect(() => {
    let frame = 0;
    const seen = new ResizeObserver(() => {
      isNew.current = true; // the story may have to be cut at another line
      look.current();
    });
    const known = new Set();
    look.current = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        if (isNew.current) document.querySelectorAll(".story").forEach(endWithLine);
        isNew.current = false;
        const panes = panesOf(document);
        for (const pane of panes.filter((each) => !known.has(each))) {
          known.add(pane);
          seen.observe(pane);
          if (pane.matches(".story") && pane.parentElement) seen.observe(pane.parentElement);
          pane.addEventListener("scroll", () => look.current(), { passive: true });
        }
        setMarks(panes.flatMap(marksOf));
      });
    };
    look.current();
    return () => {
      look.current = () => undefined;
      cancelAnimationFrame(frame);
      seen.disconnect();
    };
  }, []);
  useLayoutEffect(() => {
    isNew.current = true;
    look.current();
  }, [state.value, played.value]);
  return marks.map(({ x, y, turn }, number) =>
    h(
      "svg",
      {
        key: number,
        class: "beyond",
        width: SIZE,
        height: SIZE,
        style: { translate: `${x - SIZE / 2}px ${y - SIZE / 2}px` },
        "aria-hidden": "true",
      },
      h("circle", { cx: SIZE / 2, cy: SIZE / 2, r: SIZE / 2 - 1 }),
      h("path", { d: ARROW, transform: `rotate(${turn} ${SIZE / 2} ${SIZE / 2})` }),
    ),
  );
}

/**
 * The elements in a page's panes that scroll: the pictures, the story and the code.
 * @param {Document} page
 * @returns {Element[]}
 */
function panesOf(page) {
  const editors = [...page.querySelectorAll(".editor")];
  return [
    ...page.querySelectorAll(".picture, .story"),
    ...editors.flatMap((editor) => editor.shadowRoot?.querySelector(".cm-scroller") ?? []),
  ];
}

/**
 * @param {Element} pane
 * @returns {Mark[]}
 */
function marksOf(pane) {
  const { scrollLeft, scrollTop, clientWidth, clientHeight, scrollWidth, scrollHeight } = pane;
  if (clientWidth === 0) return []; // not shown
  const { left, top } = pane.getBoundingClientRect();
  const [x, y] = [left + clientWidth / 2, top + clientHeight / 2];
  // A mark is centred on the edge of its pane, so half of it covers the space between panes. The mark at the
  // upper edge is in the pane's head instead.
  const under = pane.matches(".story") ? SIZE / 2 - 4 : 0; // the mark must not cover the last line of a story
  return [
    { is: scrollTop > MARGIN, ...aboveIn(pane, { x, y: top - SIZE / 2 }), turn: 180 },
    { is: scrollHeight - clientHeight - scrollTop > MARGIN, x, y: top + clientHeight + under, turn: 0 },
    { is: scrollLeft > MARGIN, x: left, y, turn: 90 },
    { is: scrollWidth - clientWidth - scrollLeft > MARGIN, x: left + clientWidth, y, turn: -90 },
  ].filter(({ is }) => is);
}

/**
 * The position of the mark at the upper edge of a pane: between the title and the first button in the pane's
 * head, if there is space. Without this space, the mark is centred on the edge of the pane.
 * @param {Element} pane
 * @param {{x: number, y: number}} usual
 */
function aboveIn(pane, { x, y }) {
  const root = pane.getRootNode();
  const head = (root instanceof ShadowRoot ? root.host : pane).closest(".pane")?.querySelector(".pane-head");
  const title = head?.querySelector("h2");
  if (!head || !title) return { x, y };
  const text = document.createRange();
  text.selectNodeContents(title);
  const from = Math.min(text.getBoundingClientRect().right, title.getBoundingClientRect().right);
  const lefts = [...head.querySelectorAll("button")].map((each) => each.getBoundingClientRect());
  const to = Math.min(...lefts.filter(({ width }) => width > 0).map(({ left }) => left), Infinity);
  if (x - SIZE / 2 > from && x + SIZE / 2 < to) return { x, y };
  return to - from > SIZE ? { x: (from + to) / 2, y } : { x, y: y + SIZE };
}

/**
 * Scrolls a story to its first line, and reduces its height so that no line of text is cut in half.
 * @param {Element} story
 */
function endWithLine(story) {
  if (!(story instanceof HTMLElement)) return;
  story.style.maxHeight = "";
  story.scrollTop = 0;
  if (story.scrollHeight <= story.clientHeight + 1) return;
  const { top } = story.getBoundingClientRect();
  const foot = top + story.clientHeight;
  const cut = linesOf(story).filter((line) => line.top < foot - 2 && line.bottom > foot - FRAME);
  if (cut.length > 0) story.style.maxHeight = `${Math.min(...cut.map((line) => line.top)) - top - 2}px`;
}

/**
 * The rectangles of the lines of text in a story. A closed card counts as one line.
 * @param {HTMLElement} story
 */
function linesOf(story) {
  const range = document.createRange();
  const texts = document.createTreeWalker(story, NodeFilter.SHOW_TEXT);
  const lines = [...story.querySelectorAll("details:not([open])")].map((card) =>
    card.getBoundingClientRect(),
  );
  while (texts.nextNode() !== null) {
    // Skip the text of closed cards.
    if (texts.currentNode.parentElement?.checkVisibility() !== true) continue;
    range.selectNodeContents(texts.currentNode);
    lines.push(...range.getClientRects());
  }
  return lines;
}
