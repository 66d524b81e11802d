/** Owns what the headers of all pages have in common: the name, followed by the page's own content. */

import { h } from "../../../vendor/ui.js";
import { isFile } from "../../io/medium.js";
import { Logo } from "../icons.js";

/** @import {ComponentChildren} from "../../../vendor/ui.js" */

/** @param {{children?: ComponentChildren}} props */
export function PageHeader({ children }) {
  return h(
    "header",
    { class: "header" },
    isFile
      ? h("span", { class: "brand" }, name())
      : h("a", { class: "brand", href: "/", "aria-label": "Stepgrad" }, name()),
    children,
  );
}

function name() {
  return [h(Logo, { key: "logo" }), h("span", { key: "name", class: "brand-name" }, "Stepgrad")];
}
