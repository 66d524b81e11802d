/**
 * Lists the terms of a sum, or the inputs of an operator, in an answer to "Why?". After a click on one of
 * them, the answer explains that term or input.
 */

import { h, useState } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { rich } from "../../panes/rich.js";
import { say, tell } from "../../state/words.js";

/** @import {ComponentChildren} from "../../../vendor/ui.js" */
/** @import {ChainProps} from "../../panes/chunks.js" */
/** @import {Part, Parts as PartsOf} from "../../words/why/parts.js" */

/**
 * Numbers of parts: `most` of a list that is shown whole, `first` of a longer list, and `more` per click. A
 * longer list also shows its last part and the followed part.
 */
const SHOWN = { most: 8, first: 5, more: 200 };

/** @param {{parts: PartsOf, follow: ChainProps["follow"]}} props */
export function Parts({ parts: { sign, each, followed, total }, follow }) {
  const [opened, setOpened] = useState(0);
  const first = each.length <= SHOWN.most ? each.length : SHOWN.first + opened;
  const places = [...each.keys()].filter(
    (place) => place < first || place === followed || place === each.length - 1,
  );
  const [hidden, cut] = [each.length - places.length, places.findIndex((place) => place >= first)];
  /** @type {ComponentChildren[]} */
  const shown = places.map((place) =>
    h(OnePart, { part: /** @type {Part} */ (each[place]), isFollowed: place === followed, follow }),
  );
  if (hidden > 0) {
    const more = { class: "link", onClick: () => setOpened(opened + SHOWN.more) };
    shown.splice(cut, 0, button(more, say("why-more-parts", { count: hidden })));
  }
  return h(
    "div",
    { class: "why-parts" },
    shown.flatMap((part, place) => (place === 0 ? [part] : [h("span", { class: "why-sign" }, sign), part])),
    total === null ? null : [h("span", { class: "why-sign" }, "="), h("code", null, total)],
    followed === null
      ? null
      : h("p", null, rich(say("why-follows", { part: followed + 1, count: each.length }))),
  );
}

/** @param {{part: Part, isFollowed: boolean, follow: ChainProps["follow"]}} props */
function OnePart({ part: { value, from, choices }, isFollowed, follow }) {
  const words = [h("code", null, value), from === null ? null : [" ", rich(tell(from))]];
  return follow === undefined
    ? h("span", { class: "why-part", "aria-current": isFollowed ? "true" : undefined }, words)
    : button(
        {
          class: "link why-part",
          title: say("why-follow"),
          "aria-current": isFollowed ? "true" : undefined,
          onClick: () => follow(choices),
        },
        words,
      );
}
