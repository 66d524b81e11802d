/** Owns the top component of the player's page: header, the view of the replay, toasts and dialogs. */

import { h, useEffect, useRef } from "../../vendor/ui.js";
import { button } from "./buttons.js";
import { aboutIsOpen, helpPart, isBusy, isExporting, replay, sharing, toast } from "../state/store.js";
import { isBlank } from "../state/presenting.js";
import { say } from "../state/words.js";
import { loadChunk } from "./chunks.js";
import { Header } from "./header/header.js";
import { Icon } from "./icons.js";
import { Lazy } from "./lazy.js";
import { lessonPage } from "./lesson-page.js";
import { spokenOfPanes } from "./maximise.js";
import { spokenOfRun } from "./notice.js";
import { usePlay } from "./timeline/playing.js";
import { PresenterLayer } from "./presenting.js";
import { viewOf } from "./replay-views.js";
import "./run-view.js";
import { runPanes } from "./run-panes.js";
import { pane } from "./tabs.js";

export function App() {
  usePlay();
  const { View, spoken, look } = viewOf(replay.value);
  return h(
    "div",
    { class: `app ${look()}${isBusy.value ? " running" : ""} at-${pane.value}` },
    lessonPage.value !== null && replay.value === null
      ? h("a", { class: "skip", href: "#lesson", key: "lesson" }, say("skip-to-lesson"))
      : null,
    h("a", { class: "skip", href: "#main", key: "skip" }, say("skip")),
    h(Header, null),
    h(Toast, null), // here, so that Tab leads from the share button to the toast
    h(View, { key: replay.value?.kind ?? "run" }),
    h(PresenterLayer, null),
    h(Lazy, { isAsked: helpPart.value !== "", load: async () => (await loadChunk("help")).Help }),
    h(Lazy, { isAsked: sharing.value !== null, load: async () => (await loadChunk("share")).Sharing }),
    h(Lazy, { isAsked: isExporting.value, load: async () => (await loadChunk("export")).Exporting }),
    h(Lazy, { isAsked: aboutIsOpen.value, load: async () => (await loadChunk("help")).About }),
    runPanes.value && h(runPanes.value.SummaryStatus, null),
    h(
      "p",
      { class: "visually-hidden", role: "status", "aria-live": "polite" },
      isBlank.value ? say("screen-blank") : (spokenOfRun() ?? spokenOfPanes() ?? spoken()),
    ),
  );
}

/**
 * A toast. If the toast has the focus, Escape closes it and returns the focus to the previously focused
 * element.
 */
function Toast() {
  const shown = toast.value;
  const before = useRef(/** @type {Element | null} */ (null));
  useEffect(() => {
    if (document.activeElement?.closest(".toast") == null) before.current = document.activeElement;
  }, [shown]);
  if (!shown) return null;
  const close = () => {
    toast.value = null;
    if (before.current instanceof HTMLElement) before.current.focus();
  };
  return h(
    "div",
    {
      class: "toast",
      role: "status",
      onKeyDown: (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && close(),
    },
    h("p", null, shown.text),
    button(
      { class: "button icon-only", "aria-label": say("close"), onClick: close },
      h(Icon, { name: "cross", size: 16 }),
    ),
  );
}
