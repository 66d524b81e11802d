/** Owns Python's traceback in the story. Each call of the snippet is a link to its step. */

import { h, useEffect, useRef } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { say } from "../../state/words.js";
import { printed } from "./printed.js";

/** @import {TracebackProps} from "../../panes/chunks.js" */

/**
 * The traceback. The traceback scrolls into view when it is opened.
 * @param {TracebackProps} props
 */
export function Traceback({ index, raised, go }) {
  const text = useRef(/** @type {HTMLPreElement | null} */ (null));
  useEffect(() => text.current?.scrollIntoView({ block: "nearest" }), []);
  return [
    h(
      "pre",
      { class: "traceback", key: "printed", ref: text },
      printed(index, raised).map(({ text, stop, omitted }, key) =>
        stop === null
          ? h(
              "span",
              { key },
              omitted === undefined ? text : `  ${say("frames-omitted", { count: omitted })}`,
            )
          : button({ key, class: "traceback-line", onClick: () => go(stop) }, text),
      ),
    ),
    h("p", { class: "traceback-part", key: "part" }, say("traceback-part")),
  ];
}
