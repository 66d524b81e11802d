/** Owns the answer to "Why is this value so?": the chain from a value back to where it began. */

import { h } from "../../../vendor/ui.js";
import { button, iconButton } from "../../panes/buttons.js";
import { plain, rich } from "../../panes/rich.js";
import { goTo, state } from "../../state/store.js";
import { say, tell } from "../../state/words.js";

/** @import {Link, Why} from "../../words/why/why.js" */

/** @param {{why: Why, close: () => void}} props */
export function Chain({ why, close }) {
  return h(
    "section",
    { class: "why", "aria-labelledby": "why-title" },
    h(
      "header",
      null,
      h("h3", { id: "why-title" }, rich(tell(why.title))),
      iconButton("cross", say("why-close"), { size: 14, onClick: close }),
    ),
    h(
      "ol",
      null,
      why.links.map((link, place) => h(WhyLink, { link, key: place })),
    ),
  );
}

/** @param {{link: Link}} props */
function WhyLink({ link: { sentence, formula, operands = [], stop, thing } }) {
  const data = Object.fromEntries(Object.entries(thing).map(([name, id]) => [`data-${name}`, id]));
  return h(
    "li",
    data,
    h("p", null, rich(tell(sentence))),
    formula === undefined
      ? null
      : h(
          "p",
          { class: "why-formula" },
          h("code", { class: "why-how" }, formula),
          operands.map(([name, value]) => h("code", { key: name }, `${name} = ${value}`)),
        ),
    stop === null
      ? null
      : button(
          {
            class: "link",
            "aria-current": state.value?.k === stop ? "step" : undefined,
            "aria-label": plain(say("why-go", { step: stop + 1 })),
            onClick: () => goTo(stop),
          },
          say("step", { step: stop + 1 }),
        ),
  );
}
