/** Owns the panes to the right of the code: both pictures, and below them the snippet's output. */

import { h } from "../../../vendor/ui.js";
import { Pictures } from "../../panes/pictures/pictures.js";
import { Splitter } from "../../panes/splitter.js";
import { hasLower, LowerPane } from "../../panes/story/lower.js";

export function RightPanes() {
  return [
    h(Pictures, { key: "pictures" }),
    hasLower()
      ? [
          h(Splitter, { key: "lower", split: "lower", isUpright: false, controls: "pictures" }),
          h("div", { key: "below", class: "below" }, h(LowerPane, null)),
        ]
      : null,
  ];
}
