/** Owns the answer to "Why is this value so?": the chain from a value back to where it began. */

import { h } from "../../../vendor/ui.js";
import { button, iconButton } from "../../panes/buttons.js";
import { plain, rich } from "../../panes/rich.js";
import { say, tell } from "../../state/words.js";

/** @import {ChainProps} from "../../panes/chunks.js" */
/** @import {Link} from "../../words/why/why.js" */

/** @param {ChainProps} props */
export function Chain({ why, k, go, close }) {
  return h(
    "section",
    { class: "why", "aria-labelledby": "why-title" },
    h(
      "header",
      null,
      h("h3", { id: "why-title" }, rich(tell(why.title))),
      close === undefined ? null : iconButton("cross", say("why-close"), { size: 14, onClick: close }),
    ),
    h(
      "ol",
      null,
      why.links.map((link, place) => h(WhyLink, { link, k, go, key: place })),
    ),
  );
}

/** @param {{link: Link} & Pick<ChainProps, "k" | "go">} props */
function WhyLink({ link: { sentence, formula, operands = [], stop, thing }, k, go }) {
  const data = Object.fromEntries(Object.entries(thing).map(([name, id]) => [`data-${name}`, id]));
  return h(
    "li",
    data,
    h("p", null, rich(tell(sentence))),
    operands.length === 0
      ? null
      : h(
          "p",
          { class: "why-formula" },
          formula === undefined ? null : h("code", { class: "why-how" }, formula),
          operands.map(([name, value]) => h("code", { key: name }, `${name} = ${value}`)),
        ),
    stop === null || go === undefined
      ? null
      : button(
          {
            class: "link",
            "aria-current": k === stop ? "step" : undefined,
            "aria-label": plain(say("why-go", { step: stop + 1 })),
            onClick: () => go(stop),
          },
          say("step", { step: stop + 1 }),
        ),
  );
}
