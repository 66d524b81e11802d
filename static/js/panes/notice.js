/**
 * Owns the notice about a requested run before it is shown: the run's progress, or the reason why the run
 * was refused or did not start.
 */

import { h } from "../../vendor/ui.js";
import { button } from "./buttons.js";
import { tryAgain } from "../session/running.js";
import { secondsLeft, status } from "../state/store.js";
import { say } from "../state/words.js";
import { Icon } from "./icons.js";

/** @import {Failed, Running} from "../state/store.js" */

/** The notice, as an overlay at the bottom of the left column, so that it does not move the layout. */
export function Notice() {
  const current = status.value;
  if (current.kind === "running") return current.isSlow ? h(ProgressLine, { run: current }) : null;
  if (current.kind === "failed") return h(Failure, { failure: current });
  if (current.kind === "idle") return null;
  return h(
    "div",
    { class: "notice", key: "noted" },
    h("p", null, say(current.id, current.args)),
    h(Close, null),
  );
}

/**
 * The line with the progress of a run. The numbers are at the right end of the line, so that the text before
 * them does not move.
 * @param {{run: Running}} props
 */
function ProgressLine({ run }) {
  const [words, count] = textsOf(run);
  return h(
    "div",
    { class: "notice progress", key: "progress" },
    h("span", { class: "spinner", "aria-hidden": "true" }),
    h("p", null, words),
    h("p", { class: "count" }, count),
  );
}

/** @param {Running} run */
function textsOf({ progress, isStopping }) {
  if (progress?.phase === "loading") return [say("run-loading"), ""];
  if (isStopping || progress === null) return [say(isStopping ? "run-stopping" : "run-sent"), ""];
  if (progress.phase === "drawing") return [say("run-drawing"), ""];
  if (progress.phase === "reading")
    return [say("run-reading"), say("run-reading-part", { percent: progress.percent })];
  if (progress.phase === "waiting") return [say("run-waiting", { before: progress.before }), ""];
  return [say("run-line", { line: progress.line }), say("run-operators", { count: progress.operators })];
}

/**
 * The reason why a request for a run failed, and the time after which the visitor can repeat it.
 * @param {{failure: Failed}} props
 */
function Failure({ failure }) {
  return h(
    "div",
    { class: "notice failure", key: "failure" },
    h(Icon, { name: "warning", size: 20 }),
    h("p", { role: "alert" }, failure.id === "" ? failure.text : say(failure.id)),
    failure.canRetry ? h(Retry, null) : null,
    h(Close, null),
  );
}

/**
 * The retry button. Retrying is manual, because otherwise a whole class that was refused would retry at the
 * same time.
 */
function Retry() {
  const seconds = secondsLeft.value;
  return button(
    { class: "button retry", disabled: seconds > 0, onClick: tryAgain },
    say(seconds > 0 ? "retry-in" : "retry", { seconds }),
  );
}

function Close() {
  return button(
    {
      class: "button icon-only close",
      "aria-label": say("close"),
      onClick: () => (status.value = { kind: "idle" }),
    },
    h(Icon, { name: "cross", size: 16 }),
  );
}

/**
 * The text of the notice that screen readers announce. Each phase of a run is announced once, without its
 * changing numbers.
 */
export function spokenOfRun() {
  const current = status.value;
  if (current.kind === "noted") return say(current.id, current.args);
  if (current.kind === "failed") return current.canRetry && secondsLeft.value === 0 ? say("retry-ready") : "";
  if (current.kind !== "running" || !current.isSlow) return null;
  const phase = current.progress?.phase ?? "running";
  if (current.isStopping && phase !== "loading") return say("run-stopping");
  const spoken = {
    waiting: "spoken-waiting",
    reading: "run-reading",
    loading: "run-loading",
    drawing: "run-drawing",
  };
  return say(phase === "running" ? "spoken-running" : spoken[phase]);
}
