/**
 * Owns the one line about a run that is not there to see: how far it is, why it was refused, or that it never
 * began.
 */

import { h } from "../../vendor/ui.js";
import { tryAgain } from "../session/running.js";
import { secondsLeft, status } from "../state/store.js";
import { say } from "../state/words.js";
import { Icon } from "./icons.js";

/** @import {Failed, Running} from "../state/store.js" */

/** It lies over the foot of the left column, so that nothing moves when it comes and goes. */
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
 * Numbers stand at the right end, where they grow into free space.
 * @param {{run: Running}} props
 */
function ProgressLine({ run }) {
  const [words, count] = saidOf(run);
  return h(
    "div",
    { class: "notice progress", key: "progress" },
    h("span", { class: "spinner", "aria-hidden": "true" }),
    h("p", null, words),
    h("p", { class: "count" }, count),
  );
}

/** @param {Running} run */
function saidOf({ progress, isStopping, isLoading }) {
  if (isLoading) return [say("run-loading"), ""];
  if (isStopping || progress === null) return [say(isStopping ? "run-stopping" : "run-sent"), ""];
  if (progress.phase === "waiting") return [say("run-waiting", { before: progress.before }), ""];
  return [say("run-line", { line: progress.line }), say("run-operators", { count: progress.operators })];
}

/**
 * What went wrong with a request, and when it is worth trying again.
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

/** Never by itself: a class that was refused would come back as one. */
function Retry() {
  const seconds = secondsLeft.value;
  return h(
    "button",
    { class: "button retry", type: "button", disabled: seconds > 0, onClick: tryAgain },
    say(seconds > 0 ? "retry-in" : "retry", { seconds }),
  );
}

function Close() {
  return h(
    "button",
    {
      class: "button icon-only close",
      type: "button",
      "aria-label": say("close"),
      onClick: () => (status.value = { kind: "idle" }),
    },
    h(Icon, { name: "cross", size: 16 }),
  );
}

/** What a screen reader hears of it: each thing once, not every number. */
export function spokenOfRun() {
  const current = status.value;
  if (current.kind === "noted") return say(current.id, current.args);
  if (current.kind === "failed") return current.canRetry && secondsLeft.value === 0 ? say("retry-ready") : "";
  if (current.kind !== "running" || !current.isSlow) return null;
  if (current.isLoading) return say("run-loading");
  if (current.isStopping) return say("run-stopping");
  return say(current.progress?.phase === "waiting" ? "spoken-waiting" : "spoken-running");
}
