/** Owns the icons: small SVG drawings in the colour of the text around them. */

import { h } from "../../vendor/ui.js";

/** @type {Record<string, string>} */
const PATHS = {
  first: "M5 4v12M16 4l-8 6 8 6z",
  previous: "M14 4l-8 6 8 6z",
  play: "M6 3.5l11 6.5-11 6.5z",
  pause: "M6 4h3v12H6zM12 4h3v12h-3z",
  next: "M6 4l8 6-8 6z",
  last: "M15 4v12M4 4l8 6-8 6z",
  stop: "M5 5h10v10H5z",
  list: "M3 5h1M7 5h10M3 10h1M7 10h10M3 15h1M7 15h10",
  edit: "M4 16l1-4 8-8 3 3-8 8z",
  share:
    "M8 12l6-5M8 8l6 5M6 10m-2.6 0a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0-5.2 0M15 5m-2.6 0a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0-5.2 0M15 15m-2.6 0a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0-5.2 0",
  export: "M10 3v10M6 9.5l4 4 4-4M3.5 13.5v3h13v-3",
  theme: "M10 3a7 7 0 1 0 0 14zM10 3a7 7 0 0 1 0 14",
  warning: "M10 3L18.5 17.5H1.5zM10 8v4.5M10 14.8v.6",
  back: "M12 4l-6 6 6 6M6 10h11",
  beside: "M3 4h6v12H3zM11 4h6v12h-6zM5 8h2M13 8h2M5 11h2M13 11h2",
  chip: "M6 6h8v8H6zM8 6V3M12 6V3M8 17v-3M12 17v-3M6 8H3M6 12H3M17 8h-3M17 12h-3",
  bolt: "M11.5 2L4.5 11.5h5l-1 6.5 7-9.5h-5z",
  info: "M10 2.5a7.5 7.5 0 1 0 0 15a7.5 7.5 0 1 0 0-15M10 9v5M10 5.8v.6",
  course: "M4 3.5h9a3 3 0 0 1 3 3V17H7a3 3 0 0 1-3-3zM4 14a3 3 0 0 1 3-3h9",
  check: "M4 10.5l4 4 8-9",
  present: "M2.5 3.5h15M4 3.5v9h12v-9M10 12.5V15M6.5 17.5L10 15l3.5 2.5M8.5 6l4 2-4 2z",
  note: "M4 3.5h12v8.5l-4.5 4.5H4zM16 12h-4.5v4.5M7 7h6M7 10h3",
  pin: "M7 3h6M8 3v5l-3 4h10l-3-4V3M10 12v5.5",
  hidden:
    "M3 10c2-3.6 4.4-5 7-5s5 1.4 7 5c-2 3.6-4.4 5-7 5s-5-1.4-7-5zM10 7.8a2.2 2.2 0 1 0 0 4.4a2.2 2.2 0 1 0 0-4.4M4 17L16 3",
  maximise: "M3 8V3h5M12 3h5v5M17 12v5h-5M8 17H3v-5",
  restore: "M8 3v5H3M17 8h-5V3M12 17v-5h5M3 12h5v5",
  raise: "M4 12.5l6-6 6 6",
  lower: "M4 7.5l6 6 6-6",
  search: "M8.5 3a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M12.5 12.5L17 17",
  cross: "M5 5l10 10M15 5L5 15",
};
const FILLED = new Set(["first", "previous", "play", "pause", "next", "last", "stop"]);

/** @param {{name: string, size?: number}} props */
export function Icon({ name, size = 18 }) {
  const look = {
    viewBox: "0 0 20 20",
    width: size,
    height: size,
    "aria-hidden": "true",
    class: `icon ${FILLED.has(name) ? "filled" : "drawn"}`,
  };
  return h("svg", look, h("path", { d: PATHS[name] ?? "" }));
}

/** The logo of Stepgrad: cells of a storage, and a gradient that leaves one cell. */
export function Logo() {
  return h(
    "svg",
    { viewBox: "0 0 28 28", width: 30, height: 30, "aria-hidden": "true", class: "logo" },
    h("rect", { class: "logo-cell", x: 2, y: 17, width: 8, height: 8 }),
    h("rect", { class: "logo-cell now", x: 10, y: 17, width: 8, height: 8 }),
    h("rect", { class: "logo-cell", x: 18, y: 17, width: 8, height: 8 }),
    h("path", { class: "logo-flow", d: "M14 16V5M8.5 9.5L14 3.5l5.5 6" }),
  );
}
