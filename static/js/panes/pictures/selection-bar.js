/**
 * Owns the bar about the selected item: its name, which of its changes is shown, and the buttons to its
 * previous and next change.
 */

import { h } from "../../../vendor/ui.js";
import { iconButton } from "../buttons.js";
import { changeFrom } from "../../run/changes.js";
import {
  changes,
  select,
  selectBeside,
  selected,
  tensorOf,
  toChange,
  toSaving,
} from "../../state/selection.js";
import { shapeOf } from "../../run/values/format.js";
import { holding } from "../../io/step-sentences.js";
import { storagePointer, tensorPointers } from "../../run/naming/addresses.js";
import { unreadOf } from "../../run/questions/reach.js";
import { gradName, numberedName, textOf } from "../../run/naming/naming.js";
import { labelled } from "../../layout/memory-navigation.js";
import { tagLines } from "../../layout/memory-widths.js";
import { hasEditor, isPlaying, played, state } from "../../state/store.js";
import { say, tell } from "../../state/words.js";
import { show } from "../tabs.js";
import { toggleStorages } from "../../state/folds.js";
import { itemText } from "./graph-search.js";
import { outline } from "../story/text-view.js";
import { askWhy, canAskWhy } from "../story/why.js";
import { named } from "./highlight.js";
import { rich } from "../rich.js";
import { PinButtons } from "./pin-buttons.js";

/** @import {Index, Sentence, State, Subject} from "../../run/types.d.ts" */

/**
 * The bar overlays the head of its pane, so that the layout does not move when the bar appears or
 * disappears.
 */
export function SelectionBar() {
  const [index, now, subject] = [played.value?.index, state.value, selected.value];
  if (index === undefined || now === null || subject === null) return null;
  if (subject.kind === "fold") return h(FoldHint, { fold: subject.id });
  const list = changes.value;
  const place = list.findLastIndex((change) => change.k <= now.k);
  const here = list[place]?.k === now.k ? list[place] : undefined;
  const what =
    here === undefined ? say("change-none") : here.what.map((kind) => say(`change-${kind}`)).join(", ");
  const name = nameOf(index, now, subject);
  const spoken = say("change-spoken", { name, what, place: place + 1, count: list.length });
  return h(
    "div",
    { class: "changes-bar", role: "group", "aria-label": say("changes", { name }) },
    h("span", { class: `subject ${subject.kind}` }, name),
    button("change-previous", "previous", () => toChange(-1), changeFrom(list, now.k, -1) === undefined),
    h(
      "span",
      { class: "place", title: what },
      h("b", null, here === undefined ? "–" : place + 1),
      ` / ${list.length}`,
    ),
    button("change-next", "next", () => toChange(1), changeFrom(list, now.k, 1) === undefined),
    h("span", { class: "what", title: what }, what),
    canAskWhy() ? h(WhyButton, null) : null,
    h(PinButtons, null),
    iconButton("cross", say("change-leave"), { size: 14, onClick: () => select(null) }),
    h("p", { class: "visually-hidden", "aria-live": "polite" }, isPlaying.value ? "" : spoken),
  );
}

function WhyButton() {
  return iconButton("info", say("why"), {
    class: "button icon-only ask-why",
    title: say("why-means"),
    onClick: askWhy,
  });
}

/**
 * The description of the group at the keyboard cursor: its title and contents, as in the text view.
 * @param {{fold: number}} props
 */
function FoldHint({ fold }) {
  const [run, now] = [played.value, state.value];
  const key = run?.memory.groups[fold]?.key;
  const row = run?.memory.rows.find((each) => each.fold?.group.key === key);
  const item = run && now && row?.fold ? outline.value?.foldItem(run.index, now, row, row.fold) : undefined;
  return h("p", { class: "visually-hidden", role: "status" }, item === undefined ? "" : itemText(item));
}

/**
 * The panel about the selected item, over the bottom of its pane. The panel has the full text of a shortened
 * name, the other tensors and arrays that share the memory, and the objects that keep the memory alive. The
 * memory's address, as torch prints it, is folded.
 */
export function AboutSelection() {
  const [index, now, subject] = [played.value?.index, state.value, selected.value];
  if (index === undefined || now === null || subject === null || subject.kind === "fold") return null;
  return h(About, { index, now, subject });
}

/** @param {{index: Index, now: State, subject: Subject}} props */
function About({ index, now, subject }) {
  const isStorage = subject.kind === "storage" || subject.kind === "cell";
  const tensor = isStorage ? null : tensorOf(index, now, subject);
  const current = tensor === null ? undefined : now.tensors.get(tensor);
  const storage = isStorage ? subject.id : current?.geometry?.storage;
  const isHeld = storage != null && now.storages.get(storage)?.freed === false;
  const { most } = played.value?.memory.measures.tag ?? { most: Infinity };
  const name = nameOf(index, now, subject);
  const told = [
    ...(isHeld && (isStorage || current !== undefined) ? holding(index, now, storage, tensor) : []),
    ...(isStorage && isHeld ? unreadOf(index, subject.id, now.tick) : []),
  ];
  const pointers = isStorage
    ? isHeld
      ? storagePointer(index, subject.id, now.tick)
      : []
    : current === undefined
      ? []
      : tensorPointers(index, current.id, now.tick);
  const isCut = tagLines(index, name, most).join("") !== name;
  const lines = (/** @type {Sentence[]} */ sentences) =>
    sentences.map((sentence) => h("p", { key: sentence.id }, rich(tell(sentence))));
  return told.length + pointers.length === 0 && !isCut
    ? null
    : h(
        "div",
        { class: "about-selection" },
        isCut ? h("p", { key: "whole" }, h("code", null, name)) : null,
        lines(told),
        pointers.length > 0 &&
          h("details", { key: "pointers" }, h("summary", null, say("pointers")), lines(pointers)),
      );
}

/**
 * A button of the bar. A button that has no target at this step keeps the focus.
 * @param {string} id
 * @param {string} icon
 * @param {() => void} act
 * @param {boolean} isOver
 */
function button(id, icon, act, isOver) {
  return iconButton(icon, say(id), {
    class: `button icon-only ${id}`,
    "aria-disabled": isOver ? "true" : undefined,
    onClick: act,
  });
}

/**
 * @param {Index} index
 * @param {State} now
 * @param {Subject} subject
 */
function nameOf(index, now, { kind, id, cell }) {
  if (kind === "storage") return `S${id}`;
  if (kind === "cell") return `S${id}[${cell}]`;
  const path = kind === "name" ? index.names[id] : undefined;
  if (path !== undefined) return textOf(index, path);
  const labels = now.tensors.get(id)?.labels ?? [];
  const name = labels[0]?.text ?? numberedName(index, id);
  if (kind === "grad") return gradName(name ?? "?");
  const geometry = index.tensors[id]?.geometry?.at(-1)?.[1];
  return name ?? (geometry === undefined ? "?" : shapeOf(geometry));
}

/**
 * Selects the clicked item.
 * @param {MouseEvent} event
 */
export function chooseByPointer(event) {
  const target =
    event.target instanceof Element
      ? event.target.closest("[data-label], [data-tensor], [data-window], [data-storage]")
      : null;
  if (!(target instanceof SVGElement)) return;
  const { label, tensor, window, storage } = target.dataset;
  if (label !== undefined) select(labelled(label));
  else if (tensor !== undefined || window !== undefined)
    select({ kind: "tensor", id: Number(tensor ?? window) });
  else select({ kind: "storage", id: Number(storage) });
  requestAnimationFrame(() =>
    /** @type {HTMLElement | null} */ (document.querySelector(".changes-bar .change-next"))?.focus(),
  ); // with the focus there, Enter continues, and arrow keys still change the step
}

/**
 * Adds the listener with which a click on a name in the graph or the story selects the named item. It is
 * never removed.
 */
export function followByClick() {
  document.addEventListener("click", ({ target }) => {
    const element = target instanceof Element ? target.closest(".graph [data-name], .story code") : null;
    const now = state.peek();
    const subject =
      element === null || now === null || !hasEditor.peek()
        ? null
        : named(
            /** @type {HTMLElement | SVGElement} */ (element).dataset.name ?? element.textContent ?? "",
            now,
          );
    if (subject !== null) select(subject);
  });
}

/**
 * Handles the keys of memory: arrow keys select, Enter goes to the Node that saved the selection, Enter and
 * Space open and fold a group, and Escape deselects.
 * @param {KeyboardEvent} event
 */
export function chooseByKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const fold = selected.peek()?.kind === "fold" ? selected.peek()?.id : undefined;
  if (fold !== undefined && (event.key === "Enter" || event.key === " "))
    void toggleStorages(played.peek()?.memory.groups[fold]?.key ?? "");
  else if (event.key === "ArrowUp") selectBeside(0, -1);
  else if (event.key === "ArrowDown") selectBeside(0, 1);
  else if (event.key === "ArrowLeft") selectBeside(-1, 0);
  else if (event.key === "ArrowRight") selectBeside(1, 0);
  else if (event.key === "Enter" && toSaving()) toGraph();
  else if (event.key === "Escape" && selected.peek() !== null) select(null);
  else return;
  event.preventDefault();
}

/** Shows the pane of the graph, if panes are in tabs, and moves the focus to the graph. */
function toGraph() {
  show("graph");
  requestAnimationFrame(() =>
    /** @type {HTMLElement | null} */ (document.querySelector(".graph-pane .picture"))?.focus(),
  );
}
