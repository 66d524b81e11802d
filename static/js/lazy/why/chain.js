/**
 * Owns the list that answers "Why is this value so?". The items of the list lead from a value back to its
 * origin, and each item explains one hop.
 */

import { h, useState } from "../../../vendor/ui.js";
import { button, iconButton } from "../../panes/buttons.js";
import { plain, rich } from "../../panes/rich.js";
import { say, tell } from "../../state/words.js";
import { Parts } from "./parts.js";

/** @import {ChainProps} from "../../panes/chunks.js" */
/** @import {Link} from "../../words/why/why.js" */

/**
 * Numbers of hops. A chain of at most `most` hops is shown whole. Of a longer chain, the `first` and the
 * `last` hops are shown, and a click adds `more` hops.
 */
const SHOWN = { most: 12, first: 8, last: 3, more: 100 };

/** @param {ChainProps} props */
export function Chain({ why: { title, hops }, k, go, follow, close }) {
  const [opened, setOpened] = useState(0);
  const first = hops.length <= SHOWN.most ? hops.length : SHOWN.first + opened;
  const last = Math.max(first, hops.length - SHOWN.last);
  const listed = (/** @type {number} */ from, /** @type {number} */ to) =>
    hops
      .slice(from, to)
      .flatMap((hop, place) =>
        hop().map((link, at) =>
          h(WhyLink, { link, number: at === 0 ? from + place + 1 : null, k, go, follow }),
        ),
      );
  return h(
    "section",
    { class: "why", "aria-labelledby": "why-title" },
    h(
      "header",
      null,
      h("h3", { id: "why-title" }, rich(tell(title))),
      close === undefined ? null : iconButton("cross", say("why-close"), { size: 14, onClick: close }),
    ),
    h(
      "ol",
      null,
      listed(0, first),
      first === last
        ? null
        : h(
            "li",
            null,
            button(
              { class: "link", onClick: () => setOpened(opened + SHOWN.more) },
              say("why-more", { count: last - first }),
            ),
          ),
      listed(last, hops.length),
    ),
  );
}

/**
 * `number`: the number of the hop, as in the pictures; null: this item continues the hop of the previous
 * item.
 * @param {{link: Link, number: number | null} & Pick<ChainProps, "k" | "go" | "follow">} props
 */
function WhyLink({ link: { sentence, formula, operands = [], parts, stop, thing }, number, k, go, follow }) {
  const data = Object.fromEntries(Object.entries(thing).map(([name, id]) => [`data-${name}`, id]));
  return h(
    "li",
    { ...data, "data-hop": number ?? undefined },
    h("p", null, rich(tell(sentence))),
    operands.length === 0
      ? null
      : h(
          "p",
          { class: "why-formula" },
          formula === undefined ? null : h("code", { class: "why-how" }, formula),
          operands.map(([name, value]) => h("code", { key: name }, `${name} = ${value}`)),
        ),
    parts === undefined ? null : h(Parts, { parts, follow }),
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
