/**
 * Shows variants to the class: in a dialog over the projected window, and on a student's page in the same
 * dialog, which a line at the bottom of the page opens.
 */

import { h, signal, useEffect, useRef } from "../../../../vendor/ui.js";
import { button } from "../../../panes/buttons.js";
import { Sheet } from "../../../panes/modal.js";
import { legibleLines } from "../../../run/legible.js";
import { hasCharacterKeys } from "../../../state/preferences.js";
import { say } from "../../../state/words.js";
import { isCompared, room, shownClasses, variants } from "./collection.js";
import { canRun, isCounted, isForClass, writeForClass } from "./own-run.js";
import { Bars, Count } from "./rows.js";

const outcomesAreOpen = signal(false);

/**
 * The projector's dialog. The dialog is closed while outcomes are hidden, a comparison is shown, or the
 * class is asked.
 */
export function Screen() {
  const now = variants.value;
  const poll = /** @type {{open?: unknown} | null} */ (room.value?.link.state.value.poll ?? null);
  const isShown = now !== null && !now.hidden && !isCompared.value && poll?.open !== true;
  const ref = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => {
    if (!isShown) return ref.current?.close();
    ref.current?.showModal();
    ref.current?.focus(); // the dialog itself gets the focus, so that no element in it has a focus ring
  }, [isShown]);
  return h(
    "dialog",
    {
      class: "variants-screen",
      ref,
      tabIndex: -1,
      "aria-labelledby": "variants-screen-title",
      onCancel: (/** @type {Event} */ event) => event.preventDefault(),
    },
    isShown
      ? [
          h(
            "h2",
            { key: "title", id: "variants-screen-title" },
            say(now.open ? "variants-asked" : "variants-over"),
          ),
          h(
            "div",
            { key: "body", class: "variants-body" },
            h(Code, null),
            h("div", null, h(Count, null), h(Bars, null)),
          ),
        ]
      : null,
  );
}

/** The count of variants in the bar of the projected window, while the outcomes are hidden. */
export function HiddenCount() {
  const now = variants.value;
  if (now === null || !now.hidden) return null;
  return h("span", { class: "room-members" }, say("variants-hidden-count", { count: now.count }));
}

/** The room's code, which all students change, with line numbers. */
function Code() {
  const source = room.value?.inStep.shown.value?.alone?.index.source ?? "";
  return h(
    "pre",
    { class: "variants-code", tabIndex: 0, role: "group", "aria-label": say("code") },
    h(
      "code",
      null,
      legibleLines(source.trimEnd())
        .split("\n")
        .map((text, at) => h("span", { key: at }, `${text}\n`)),
    ),
  );
}

/** The line about variants on a student's page, above the bar of the room. */
export function Strip() {
  const now = variants.value;
  if (now === null || room.value?.role !== "member") return null;
  return [
    h(
      "section",
      { key: "strip", class: "variants-strip", "aria-label": say("variants-title") },
      h("p", { role: "status" }, say(wordsOf())),
      canRun.value && !isForClass.value ? h(WriteButton, null) : null,
      button({ onClick: () => (outcomesAreOpen.value = true) }, say("variants-outcomes")),
    ),
    h(Outcomes, { key: "outcomes" }),
  ];
}

function wordsOf() {
  if (isCounted.value) return canRun.value ? "variants-counted" : "variants-counted-over";
  if (!canRun.value) return "variants-over";
  return isForClass.value ? "variants-run-counts" : "variants-asked";
}

function WriteButton() {
  return button(
    { class: "button primary", title: say("key-variants-run"), onClick: writeForClass },
    say(isCounted.value ? "variants-write-again" : "variants-write"),
    hasCharacterKeys.value ? [" ", h("kbd", { "aria-hidden": "true" }, "V")] : null,
  );
}

function Outcomes() {
  const close = () => (outcomesAreOpen.value = false);
  const isOpen = outcomesAreOpen.value && variants.value !== null;
  return h(
    Sheet,
    { name: "variants-outcomes", title: say("variants-outcomes"), isOpen, close },
    isOpen
      ? [
          h(Count, { key: "count" }),
          h(Bars, { key: "bars" }),
          shownClasses.value.rows === null
            ? null
            : h("p", { key: "few", class: "poll-practice" }, say("variants-few")),
        ]
      : null,
  );
}
