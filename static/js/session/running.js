/**
 * Owns the one run that is on its way: it begins, tells how far it is, is stopped or refused, and is shown
 * when it is there.
 */

import { batch } from "../../vendor/ui.js";
import { ApiError, storedSnippet, runSnippet, stopRun } from "../io/api.js";
import { isWarm, warmUp } from "../io/graph-layout.js";
import { PATIENCE_MS, secondsApart } from "../io/progress.js";
import { isSilentlyWrong } from "../run/corrected-gradients.js";
import { indexOf } from "../run/facts.js";
import { withGranularity } from "../run/granularity.js";
import { layoutsAlone } from "../state/layouts.js";
import { programOf } from "../state/programs.js";
import {
  granularity,
  hasEditor,
  isBusy,
  isPlaying,
  mode,
  program,
  runBefore,
  secondsLeft,
  showReplay,
  snippet,
  source,
  standIn,
  state,
  status,
  step,
  toast,
  zoom,
} from "../state/store.js";
import { hasWords, say } from "../state/words.js";
import { cancelCorrectedGradients, requestCorrectedGradients } from "./corrected-gradients-request.js";
import { RunReplay } from "./run-replay.js";

/** @import {Running, Status} from "../state/store.js" */
/** @import {Document} from "../run/trace.d.ts" */
/** @import {Index} from "../run/types.d.ts" */

/** @typedef {(controller: AbortController) => Promise<void>} Work gives something to show, or is cancelled */

/** @type {AbortController | null} */
let current = null;
/**
 * A run that waits for a pause in typing.
 * @type {ReturnType<typeof setTimeout> | undefined}
 */
let soon;
/**
 * What was asked for last.
 * @type {Work}
 */
let latestWork = async () => {};
/**
 * The run that was shown last.
 * @type {Index | null}
 */
let latest = null;
/**
 * Why nothing is run at this moment.
 * @type {Status}
 */
let refusal = { kind: "idle" };

/**
 * Run what is in the editor; whatever ran before is cancelled.
 * @param {number} [at] the step to show first
 */
export function run(at = 0) {
  return begin(async (controller) => {
    await show(await documentOf(source.peek(), standIn.peek(), controller), at, controller);
    askForCorrection(null);
  });
}

/** How long a pause in typing is. */
const PAUSE_MS = 600;

/**
 * Run what is in the editor once the visitor pauses; they stay there. What ran before is of no use any more.
 */
export function runSoon() {
  leaveRun();
  soon = setTimeout(() => {
    if (secondsLeft.peek() > 0 || source.peek().trim() === "") return;
    void follow(async (controller) => {
      await showBeside(await documentOf(source.peek(), standIn.peek(), controller), controller);
      askForCorrection(null);
    });
  }, PAUSE_MS);
}

/** Do once more what was refused or broke off. */
export function tryAgain() {
  if (secondsLeft.peek() === 0) void follow(latestWork);
}

/**
 * Show what a link names.
 * @param {string} id
 * @param {number} at
 */
export function openSnippet(id, at) {
  return follow(async (controller) => {
    const stored = await storedSnippet(id, controller.signal);
    source.value = stored.source;
    standIn.value = stored.stand_in ?? false;
    await show(stored.document, at, controller);
    askForCorrection(id);
    snippet.value = id;
    program.value = programOf(stored.source);
    if (stored.notice) {
      const words = `notice-${stored.notice.kind}`;
      toast.value = { text: hasWords(words) ? say(words) : stored.notice.message };
    }
  });
}

/**
 * Run a snippet, and note how far it is.
 * @param {string} text
 * @param {boolean} stand_in
 * @param {AbortController} controller
 */
export function documentOf(text, stand_in, controller) {
  return runSnippet(text, stand_in, controller.signal, (progress) => note({ progress }));
}

/** What the button says: Run, or Stop while the page says that something runs. */
export function runOrStop() {
  if (isBusy.peek()) stop();
  else if (hasEditor.peek() && source.peek().trim() !== "") void run();
}

/**
 * End the run now, with all that it has recorded. Where the server does not know it yet, or was asked
 * already, it is left.
 */
export function stop() {
  const now = status.peek();
  if (now.kind !== "running" || now.progress === null || now.isStopping) return leaveRun();
  note({ isStopping: true });
  stopRun(now.progress.run).catch(() => undefined); // it may be over by now, and its document on the way
}

/** Nobody waits for the run any more: hanging up cancels it. */
export function leaveRun() {
  clearTimeout(soon);
  cancelCorrectedGradients();
  current?.abort();
  current = null;
  if (status.peek().kind === "running") status.value = { kind: "idle" };
}

/**
 * Do what gives something to show, where the server takes runs now. What is on the screen stays until then.
 * @param {Work} work
 */
export async function begin(work) {
  if (secondsLeft.peek() > 0) status.value = refusal;
  else await follow(work);
}

/** @param {Work} work */
async function follow(work) {
  leaveRun();
  const controller = new AbortController();
  [current, latestWork] = [controller, work];
  isPlaying.value = false;
  status.value = { kind: "running", isSlow: false, isStopping: false, isLoading: false, progress: null };
  warmUp();
  const patience = setTimeout(() => controller === current && note({ isSlow: true }), PATIENCE_MS);
  try {
    await work(controller);
  } catch (error) {
    if (controller === current) fail(error);
  } finally {
    clearTimeout(patience);
    if (controller === current) current = null;
  }
}

/** @param {Partial<Running>} more */
function note(more) {
  const now = status.peek();
  if (now.kind === "running") status.value = { ...now, ...more };
}

/**
 * @param {Document} document
 * @param {number} at
 * @param {AbortController} controller
 */
async function show(document, at, controller) {
  const replay = await replayOf(indexOf(document), controller);
  batch(() => {
    present(replay, at);
    zoom.value = 1;
    mode.value = "replay";
  });
}

/**
 * Shown while the visitor types on, at the step where they were or at the end; of code that cannot run yet,
 * only why.
 * @param {Document} document
 * @param {AbortController} controller
 */
async function showBeside(document, controller) {
  const index = indexOf(document);
  if (index.stops.every((stop) => stop.kind === "exception")) {
    status.value = { kind: "noted", id: `end-${index.ended.kind}`, args: index.end_arguments };
    return;
  }
  const replay = await replayOf(index, controller);
  batch(() => present(replay, state.peek()?.is_last === false ? step.peek() : Infinity));
}

/**
 * @param {Index} index
 * @param {AbortController} controller
 */
async function replayOf(index, controller) {
  if (!isWarm()) note({ isLoading: true, progress: null });
  const layouts = await layoutsAlone(index);
  controller.signal.throwIfAborted();
  return new RunReplay(withGranularity(index, granularity.peek()), layouts);
}

/**
 * One that was stopped is shown where it was stopped.
 * @param {RunReplay} replay
 * @param {number} at
 */
function present(replay, at) {
  const before = latest;
  latest = replay.index;
  if (before !== null && before.source !== latest.source) runBefore.value = before;
  showReplay(replay, latest.ended.kind === "cancelled" ? Infinity : at);
  status.value = { kind: "idle" };
}

/**
 * A run that is shown and was silently wrong: ask what would have been right.
 * @param {string | null} snippet its link, if it has one
 */
function askForCorrection(snippet) {
  if (latest?.findings.some(isSilentlyWrong)) void requestCorrectedGradients(latest, snippet);
}

/** @param {unknown} error */
function fail(error) {
  if (!(error instanceof ApiError)) {
    console.error(error);
    status.value = { kind: "failed", id: "error-page", text: "", canRetry: false };
  } else if (error.kind === "cancelled") {
    status.value = { kind: "noted", id: "stopped-waiting" };
  } else {
    const id = `error-${error.kind}`;
    const canRetry = error.retryAfter !== undefined || [0, 429, 502, 503, 504].includes(error.status);
    status.value = {
      kind: "failed",
      id: hasWords(id) ? id : "",
      text: `${error.message} ${error.hint}`,
      canRetry,
    };
    delayRetry(secondsApart(error.retryAfter, Math.random()));
  }
}

/**
 * Until so many seconds are over nothing is run, and the visitor reads once more why.
 * @param {number} seconds
 */
function delayRetry(seconds) {
  refusal = status.peek();
  const until = performance.now() + seconds * 1000;
  const count = () => {
    secondsLeft.value = Math.max(0, Math.ceil((until - performance.now()) / 1000));
    if (secondsLeft.peek() > 0) setTimeout(count, 1000);
  };
  count();
}
