/** Owns the header of every page as far as they are alike: the name, and what stands after it. */

import { h } from "../../vendor/ui.js";
import { Logo } from "./icons.js";

/** @import {ComponentChildren} from "../../vendor/ui.js" */

/** @param {{children?: ComponentChildren}} props */
export function PageHeader({ children }) {
  return h(
    "header",
    { class: "header" },
    h(
      "a",
      { class: "brand", href: "/", "aria-label": "Stepgrad" },
      h(Logo, null),
      h("span", { class: "brand-name" }, "Stepgrad"),
    ),
    children,
  );
}
