/** Owns one part of a lecture: its note, the recording at its step, and its question. */

import { h, useEffect, useLayoutEffect, useRef, useState } from "../../../vendor/ui.js";
import { legibleLines } from "../../run/legible.js";
import { ApiError } from "../../io/api.js";
import { language, say, sayRefusal } from "../../state/words.js";
import { isDrawingAll, keepAlive, leave, noteDrawn } from "./alive.js";
import { Figure } from "./figure.js";
import { noteIn, paragraphsOf } from "./parts.js";
import { Asked } from "./asked.js";
import { runOf } from "./recordings.js";

/** @import {LecturePart} from "../../io/lectures.js" */
/** @import {Ready} from "./recordings.js" */

/** The maximum distance in px between a picture that is drawn and the screen. */
const AHEAD = 500;
/** The height in px that is reserved for a picture before drawing. */
const UNKNOWN = 320;

/** @param {{part: LecturePart, number: number}} props */
export function Part({ part, number }) {
  return h(
    "section",
    { class: "lecture-part", id: `part-${number}`, "aria-label": say("lecture-part", { number }) },
    h(Prose, { part }),
    part.document == null
      ? h("p", { class: "lecture-gone" }, say("lecture-gone"))
      : h(Place, { part, number }),
  );
}

/** @param {{part: LecturePart}} props */
function Prose({ part }) {
  const note = noteIn(part.note, language.value);
  if (note === null) return null;
  return h(
    "div",
    { class: "lecture-note", lang: note.lang },
    paragraphsOf(legibleLines(note.text)).map((text, place) => h("p", { key: place }, coded(text))),
  );
}

/**
 * Formats a text in which backticks mark code.
 * @param {string} text
 */
function coded(text) {
  const pieces = text.split("`");
  const isWhole = pieces.length % 2 === 1;
  return isWhole
    ? pieces.map((piece, place) => (place % 2 === 0 ? piece : h("code", { key: place }, piece)))
    : text;
}

/**
 * The space for the figure of a part. The figure is drawn when this space is scrolled near the visible part
 * of the page.
 * @param {{part: LecturePart, number: number}} props
 */
function Place({ part, number }) {
  const root = useRef(/** @type {HTMLElement | null} */ (null));
  const height = useRef(UNKNOWN);
  const [isNear, setNear] = useState(false);
  const [ready, setReady] = useState(/** @type {Ready | null} */ (null));
  const [failure, setFailure] = useState("");
  const [isLive, setLive] = useState(false);
  const live = useRef(false);
  live.current = isLive;
  useEffect(() => watch(root.current, setNear), []);
  const isWanted = isNear || isDrawingAll.value;
  useEffect(() => {
    const host = root.current;
    if (!isWanted || host === null) return undefined;
    const me = host;
    const forget = () => {
      if (live.current || near.has(me)) return false;
      height.current = host.offsetHeight;
      setReady(null);
      return true;
    };
    keepAlive(me, forget);
    if (ready !== null || failure !== "") return undefined;
    let isOver = false;
    runOf(part, host.clientWidth).then(
      (run) => !isOver && setReady(run),
      (error) => !isOver && setFailure(refusal(error)),
    );
    return () => (isOver = true);
  }, [isWanted, ready === null]);
  useLayoutEffect(() => {
    if (root.current !== null) noteDrawn(root.current, ready !== null || failure !== "");
  }, [ready, failure]);
  useLayoutEffect(() => {
    const host = root.current;
    return () => void (host && leave(host));
  }, []);
  return h(
    "div",
    {
      class: "lecture-place",
      ref: root,
      style: ready === null ? { minHeight: `${height.current}px` } : undefined,
    },
    failure !== ""
      ? h("p", { class: "lecture-gone" }, failure)
      : ready === null
        ? h("p", { class: "lecture-quiet lecture-waits" }, say("lecture-picture-waits"))
        : [
            h(Figure, { key: "figure", part, number, ready, isLive, setLive }),
            part.question === undefined && part.asks === undefined
              ? null
              : h(Asked, { key: "asked", part, index: ready.index }),
          ],
  );
}

/** The elements reserved for figures that are near the visible part of the page. */
const near = new WeakSet();

/**
 * @param {HTMLElement | null} host
 * @param {(isNear: boolean) => void} tell
 */
function watch(host, tell) {
  if (host === null) return undefined;
  const observer = new IntersectionObserver(
    (entries) => {
      const isNear = entries.at(-1)?.isIntersecting === true;
      if (isNear) near.add(host);
      else near.delete(host);
      tell(isNear);
    },
    { rootMargin: `${AHEAD}px 0px` },
  );
  observer.observe(host);
  return () => observer.disconnect();
}

/** @param {unknown} error */
function refusal(error) {
  if (error instanceof ApiError)
    return ["unknown_snippet", "held_back"].includes(error.kind) ? say("lecture-gone") : sayRefusal(error);
  console.error(error);
  return say("lecture-failed");
}
