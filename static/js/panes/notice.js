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
  const own = status.value;
  if (own.kind === "running") return own.isSlow ? h(ProgressLine, { own }) : null;
  if (own.kind === "failed") return h(Failure, { own });
  if (own.kind === "idle") return null;
  return h("div", { class: "notice", key: "noted" }, h("p", null, say(own.id, own.args)), h(Close, null));
}

/**
 * Numbers stand at the right end, where they grow into free space.
 * @param {{own: Running}} props
 */
function ProgressLine({ own }) {
  const [words, count] = saidOf(own);
  return h(
    "div",
    { class: "notice progress", key: "progress" },
    h("span", { class: "spinner", "aria-hidden": "true" }),
    h("p", null, words),
    h("p", { class: "count" }, count),
  );
}

/** @param {Running} own */
function saidOf({ progress, isStopping, isLoading }) {
  if (isLoading) return [say("run-loading"), ""];
  if (isStopping || progress === null) return [say(isStopping ? "run-stopping" : "run-sent"), ""];
  if (progress.phase === "waiting") return [say("run-waiting", { before: progress.before }), ""];
  return [say("run-line", { line: progress.line }), say("run-operators", { count: progress.operators })];
}

/**
 * What went wrong with a request, and when it is worth trying again.
 * @param {{own: Failed}} props
 */
function Failure({ own }) {
  return h(
    "div",
    { class: "notice failure", key: "failure" },
    h(Icon, { name: "warning", size: 20 }),
    h("p", { role: "alert" }, own.id === "" ? own.text : say(own.id)),
    own.canRetry ? h(Retry, null) : null,
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
  const own = status.value;
  if (own.kind === "noted") return say(own.id, own.args);
  if (own.kind === "failed") return own.canRetry && secondsLeft.value === 0 ? say("retry-ready") : "";
  if (own.kind !== "running" || !own.isSlow) return null;
  if (own.isLoading) return say("run-loading");
  if (own.isStopping) return say("run-stopping");
  return say(own.progress?.phase === "waiting" ? "spoken-waiting" : "spoken-running");
}
