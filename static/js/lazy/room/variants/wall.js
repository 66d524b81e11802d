/**
 * Owns the wall, the teacher's dialog about variants: a list of the outcomes of a class's variants with
 * their changed lines, and the choice of the outcomes that the class sees.
 */

import { h, signal, useEffect, useState } from "../../../../vendor/ui.js";
import { button } from "../../../panes/buttons.js";
import { ApiError } from "../../../io/api.js";
import { Sheet } from "../../../panes/modal.js";
import { rich } from "../../../panes/rich.js";
import { legible } from "../../../run/legible.js";
import { hasCharacterKeys } from "../../../state/preferences.js";
import { say, tell } from "../../../state/words.js";
import { variantsIn } from "./api.js";
import * as collection from "./collection.js";
import { changedLines } from "./variants-state.js";
import { Bars, Count, nameOf, sentenceOf } from "./rows.js";

/** @import {ComponentChildren, Signal} from "../../../../vendor/ui.js" */
/** @import {ClassVariants} from "./api.js" */
/** @import {Chosen} from "./collection.js" */
/** @import {VariantClass} from "./variants-state.js" */

/** The maximum number of outcomes that are compared. */
const MOST = 2;

export const wallIsOpen = signal(false);
/**
 * The id of the outcome whose variants are listed.
 * @type {Signal<number | null>}
 */
const opened = signal(null);
/**
 * The outcomes that the teacher has chosen to show to the class.
 * @type {Signal<Chosen[]>}
 */
const chosen = signal([]);

/** Opens the wall. If the room does not collect variants yet, starts the collection. */
export async function openWall() {
  if (collection.variants.peek() === null) {
    [opened.value, chosen.value] = [null, []];
    await collection.collect();
  }
  wallIsOpen.value = true;
}

export function Wall() {
  const close = () => (wallIsOpen.value = false);
  const isOpen = wallIsOpen.value;
  return h(
    Sheet,
    { name: "variants-wall", title: say("variants-title"), isOpen, close },
    isOpen ? h(Content, { close }) : null,
  );
}

/** @param {{close: () => void}} props */
function Content({ close }) {
  const now = collection.variants.value;
  const refused = collection.refusal.value;
  return [
    h(
      "div",
      { key: "tools", class: "variants-tools" },
      h(Count, null),
      now === null
        ? tool("variants-collect", "", collection.collect, true)
        : [
            tool(now.open ? "variants-close" : "variants-open", "", collection.turnOpen),
            tool(now.hidden ? "variants-show" : "variants-hide", "z", () => collection.hide(!now.hidden)),
            h(DropTool, { key: now.id }),
          ],
      h("p", { class: "variants-refused", role: "alert" }, refused),
    ),
    h("p", { key: "means", class: "poll-practice" }, say(meansOf())),
    now === null
      ? null
      : h(
          "div",
          { key: "body", class: "variants-body" },
          h("div", null, h(Bars, { row: (outcome, words) => h(Row, { outcome, words }) })),
          h(Detail, null),
        ),
    now === null ? null : h(Picks, { key: "picks", close }),
  ];
}

/** The button that deletes all variants after a second press. */
function DropTool() {
  const [isSure, setSure] = useState(false);
  const drop = () => {
    if (!isSure) return setSure(true);
    [opened.value, chosen.value] = [null, []];
    return collection.end();
  };
  return tool(isSure ? "variants-end-sure" : "variants-end", "", drop);
}

function meansOf() {
  const now = collection.variants.value;
  if (now === null) return "variants-none";
  if (!collection.isPrivate.value) return "variants-presented";
  return now.hidden ? "variants-hidden-means" : "variants-means";
}

/**
 * @param {string} id
 * @param {string} key
 * @param {() => unknown} act
 * @param {boolean} [isPrimary]
 */
function tool(id, key, act, isPrimary = false) {
  return button(
    { key: id, class: `button${isPrimary ? " primary" : ""}`, onClick: act },
    say(id),
    key !== "" && hasCharacterKeys.value ? [" ", h("kbd", { "aria-hidden": "true" }, key)] : null,
  );
}

/** @param {{outcome: VariantClass, words: ComponentChildren}} props */
function Row({ outcome, words }) {
  const isOpen = opened.value === outcome.id;
  const place = chosen.value.findIndex(({ id }) => id === outcome.id);
  const [first, ...more] = outcome.lines ?? [];
  return [
    button(
      {
        key: "open",
        class: "variants-class",
        "aria-pressed": isOpen,
        disabled: !collection.isPrivate.value,
        onClick: () => (opened.value = isOpen ? null : outcome.id),
      },
      words,
      first === undefined
        ? null
        : h("code", { class: "variants-value" }, legible(first), more.length > 0 ? " …" : ""),
    ),
    button(
      {
        key: "pick",
        class: "button variants-pick",
        "aria-pressed": place >= 0,
        "aria-label": say(place < 0 ? "variants-pick-named" : "variants-picked-named", {
          end: nameOf(outcome),
        }),
        onClick: () => turnChosen(outcome.id),
      },
      say(place < 0 ? "variants-pick" : "variants-picked"),
    ),
  ];
}

/**
 * Chooses an outcome, or removes it from the chosen outcomes. At most two are chosen, so a third replaces
 * the first.
 * @param {number} id
 */
function turnChosen(id) {
  const others = chosen.peek().filter((each) => each.id !== id);
  const isChosen = others.length < chosen.peek().length;
  chosen.value = isChosen ? others : [...others, { id, source: null }].slice(-MOST);
}

/** The list of variants of the opened outcome. */
function Detail() {
  const outcome = collection.variants.value?.classes?.find(({ id }) => id === opened.value);
  const [found, setFound] = useState(/** @type {{id: number, outcome: ClassVariants} | null} */ (null));
  const [isRefused, setRefused] = useState(false);
  const [id, count] = [outcome?.id, outcome?.count];
  useEffect(() => {
    const shown = collection.room.peek();
    if (id === undefined || shown === null) return undefined;
    let isWanted = true;
    variantsIn(shown, id).then(
      (all) => {
        if (!isWanted) return;
        setRefused(false);
        setFound({ id, outcome: all });
      },
      (error) => {
        if (!(error instanceof ApiError)) throw error;
        if (isWanted) setRefused(true);
      },
    );
    return () => {
      isWanted = false;
    };
  }, [id, count]);
  if (!collection.isPrivate.value) return null;
  if (outcome === undefined)
    return h("div", { class: "variants-detail" }, h("p", { class: "poll-hidden" }, say("variants-choose")));
  return h(
    "section",
    { class: "variants-detail", "aria-labelledby": "variants-detail-title" },
    h("h3", { id: "variants-detail-title" }, rich(tell(sentenceOf(outcome)))),
    (outcome.lines ?? []).length === 0
      ? null
      : h("pre", { class: "variants-values" }, h("code", null, outcome.lines?.map(legible).join("\n"))),
    isRefused ? h("p", { role: "alert" }, say("room-unheard")) : null,
    found?.id === outcome.id
      ? found.outcome.variants.map(({ source, count }, at) =>
          h(Source, { key: source, place: outcome.id, source, count, isFirst: at === 0 }),
        )
      : null,
  );
}

/** @param {{place: number, source: string, count: number, isFirst: boolean}} props */
function Source({ place, source, count, isFirst }) {
  const before = collection.room.value?.inStep.shown.value?.alone?.index.source ?? "";
  const lines = changedLines(before, source);
  const picked = chosen.value.find(({ id }) => id === place);
  const isChosen = picked !== undefined && (picked.source === source || (picked.source === null && isFirst));
  const choose = () =>
    (chosen.value = [...chosen.peek().filter(({ id }) => id !== place), { id: place, source }].slice(-MOST));
  return h(
    "figure",
    { class: "variants-source" },
    h(
      "figcaption",
      null,
      h("span", null, say("variants-wrote", { count })),
      button(
        { "aria-pressed": isChosen, onClick: choose },
        say(isChosen ? "variants-picked" : "variants-pick"),
      ),
    ),
    lines.length === 0
      ? h("p", { class: "poll-hidden" }, say("variants-unchanged"))
      : h(
          "pre",
          { tabIndex: 0, role: "group", "aria-label": say("variants-changed") },
          h(
            "code",
            null,
            lines.map(({ mark, number, text }, at) =>
              h(
                "span",
                { key: at, class: MARKED[mark] },
                h("span", { class: "variants-number" }, number ?? ""),
                ` ${mark === "-" ? "−" : mark} ${legible(text)}\n`,
              ),
            ),
          ),
        ),
  );
}

const MARKED = { "+": "is-new", "-": "is-old", " ": "is-same", "…": "is-cut" };

/**
 * The outcomes that the teacher has chosen, the button that shows them to the class, and the outcomes that
 * the class sees.
 * @param {{close: () => void}} props
 */
function Picks({ close }) {
  const rows = collection.shownClasses.value.rows ?? [];
  const named = chosen.value.flatMap(({ id }) => rows.find((each) => each.id === id) ?? []);
  const isCompared = collection.isCompared.value;
  const show = async () => {
    const ids = new Set(named.map(({ id }) => id));
    if (await collection.pick(chosen.peek().filter(({ id }) => ids.has(id)))) {
      chosen.value = [];
      close();
    }
  };
  return h(
    "div",
    { class: "variants-picks" },
    named.length === 0
      ? h("p", { class: "poll-hidden" }, say(isCompared ? "variants-compared" : "variants-pick-means"))
      : h("p", null, named.map(nameOf).join(" · ")),
    isCompared ? tool("variants-back", "", collection.unpick) : null,
    named.length === 0
      ? null
      : tool(named.length === 1 ? "variants-show-one" : "variants-show-two", "", show, true),
  );
}

/**
 * Moves the focus to the next or previous listed outcome.
 * @param {1 | -1} by
 */
export function moveInWall(by) {
  const rows = [...document.querySelectorAll(".variants-wall .variants-bars li:not(.others)")];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const name = document.activeElement?.matches(".variants-pick") ? ".variants-pick" : ".variants-class";
  const next = at < 0 && by < 0 ? rows.length - 1 : (at + by + rows.length) % rows.length;
  /** @type {HTMLElement | null | undefined} */ (rows[next]?.querySelector(name))?.focus();
}
