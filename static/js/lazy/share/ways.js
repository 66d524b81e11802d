/** Owns the tabs of the share dialog, one for each way to use a link. */

import { h, useState } from "../../../vendor/ui.js";
import { say } from "../../state/words.js";

/** @import {ComponentChildren} from "../../../vendor/ui.js" */

/** @typedef {"link" | "class" | "embed" | "file"} Way */

/**
 * A tab for each way to share, and the panel of the selected tab. If there is only one way, its panel is
 * shown without tabs. `isFirst`: no tab was pressed yet, so the panel may take the focus.
 * @param {{names: Way[], panels: Record<Way, (isFirst: boolean) => ComponentChildren>}} props
 */
export function Ways({ names, panels }) {
  const [chosen, setWay] = useState(/** @type {Way | null} */ (null));
  const way = chosen ?? "link";
  if (names.length === 1) return panels.link(true);
  const move = (/** @type {KeyboardEvent} */ event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const next = names[(names.indexOf(way) + by + names.length) % names.length] ?? "link";
    setWay(next);
    document.getElementById(`way-${next}`)?.focus();
  };
  return [
    h(
      "div",
      { class: "ways", role: "tablist", "aria-labelledby": "sharing-title", key: "tabs", onKeyDown: move },
      names.map((name) => h(Tab, { key: name, name, isShown: name === way, choose: () => setWay(name) })),
    ),
    h(
      "div",
      { class: "way", role: "tabpanel", id: "way", "aria-labelledby": `way-${way}`, key: way },
      panels[way](chosen === null),
    ),
  ];
}

/** @param {{name: Way, isShown: boolean, choose: () => void}} props */
function Tab({ name, isShown, choose }) {
  return h(
    "button",
    {
      class: "lower-tab",
      type: "button",
      role: "tab",
      id: `way-${name}`,
      "aria-selected": isShown ? "true" : "false",
      "aria-controls": "way",
      tabIndex: isShown ? 0 : -1,
      onClick: choose,
    },
    h("span", null, say(`share-way-${name}`)),
  );
}
