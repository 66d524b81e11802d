/**
 * Owns the one run that is on its way: it begins, tells how far it is, is stopped or refused, and is shown
 * when it is there.
 */

import { batch } from "../../vendor/ui.js";
import { ApiError, keptSnippet, runSnippet, stopRun } from "../io/api.js";
import { isWarm, warmUp } from "../io/graph-layout.js";
import { indexOf } from "../run/facts.js";
import { layoutsBeside, layoutsOf } from "./layouts.js";
import { programOf } from "../state/programs.js";
import { PATIENCE_MS, secondsApart } from "../io/progress.js";
import { isSilentlyWrong } from "../run/corrected-gradients.js";
import { requestCorrectedGradients, cancelCorrectedGradients } from "./corrected-gradients-request.js";
import {
  comparison,
  isBusy,
  isPlaying,
  mode,
  played,
  program,
  runBefore,
  secondsLeft,
  snippet,
  source,
  standIn,
  state,
  status,
  step,
  toast,
  granularity,
  zoom,
} from "../state/store.js";
import { withGranularity } from "../run/granularity.js";
import { hasWords, say } from "../state/words.js";

/** @import {Played, Running, Status} from "../state/store.js" */
/** @import {Document} from "../run/trace.d.ts" */
/** @import {Wanted} from "../lazy/compare/comparing.js" */
/** @import {Compared, Index, Sides} from "../run/types.d.ts" */

/** @type {AbortController | null} */
let current = null;
/**
 * A run that waits for a pause in typing.
 * @type {ReturnType<typeof setTimeout> | undefined}
 */
let soon;
/**
 * What was asked for last.
 * @type {(own: AbortController) => Promise<void>}
 */
let asked = async () => {};
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
export async function run(at = 0) {
  if (secondsLeft.peek() > 0) status.value = refusal;
  else
    await follow(async (own) => {
      await show(
        await runSnippet(source.peek(), standIn.peek(), own.signal, (progress) => note({ progress })),
        at,
        own,
      );
      askForCorrection(null);
    });
}

/** How long a pause in typing is. */
const PAUSE_MS = 600;

/**
 * Run what is in the editor once the visitor pauses; he stays there. What ran before is of no use any more.
 */
export function runSoon() {
  leaveRun();
  soon = setTimeout(() => {
    if (secondsLeft.peek() > 0 || source.peek().trim() === "") return;
    void follow(async (own) => {
      await showBeside(
        await runSnippet(source.peek(), standIn.peek(), own.signal, (progress) => note({ progress })),
        own,
      );
      askForCorrection(null);
    });
  }, PAUSE_MS);
}

/** Do once more what was refused or broke off. */
export function tryAgain() {
  if (secondsLeft.peek() === 0) void follow(asked);
}

/**
 * Show what a link names.
 * @param {string} id
 * @param {number} at
 */
export function openSnippet(id, at) {
  return follow(async (own) => {
    const kept = await keptSnippet(id, own.signal);
    source.value = kept.source;
    standIn.value = kept.stand_in ?? false;
    await show(kept.document, at, own);
    askForCorrection(id);
    snippet.value = id;
    program.value = programOf(kept.source);
    if (kept.notice)
      toast.value = {
        text: hasWords(`notice-${kept.notice.kind}`)
          ? say(`notice-${kept.notice.kind}`)
          : kept.notice.message,
      };
  });
}

/**
 * Show two snippets side by side. What has not run yet runs now, one after the other: of one visitor one run
 * goes at a time.
 * @param {Sides<Wanted>} wanted
 * @param {number} [at] the moment to show first
 */
export async function runBoth(wanted, at = 0) {
  if (secondsLeft.peek() > 0) status.value = refusal;
  else
    await follow(async (own) => {
      const page = await comparisonPage();
      const left = await compared(wanted.left, own);
      const right = await compared(wanted.right, own);
      batch(() => {
        page.begin(page, left, right, at);
        status.value = { kind: "idle" };
      });
    });
}

/** What shows two runs: loaded when it is needed. */
export async function comparisonPage() {
  const page = await import("../lazy/compare/index.js");
  await page.dress();
  return page;
}

/**
 * @param {Wanted} wanted
 * @param {AbortController} own
 * @returns {Promise<Compared>}
 */
async function compared({ source, stand_in, title, snippet, index }, own) {
  const run = () => runSnippet(source, stand_in, own.signal, (progress) => note({ progress }));
  const made =
    index ?? indexOf(snippet === null ? await run() : (await keptSnippet(snippet, own.signal)).document);
  const layouts = await layoutsBeside(made);
  own.signal.throwIfAborted();
  return { index: withGranularity(made, granularity.peek()), ...layouts, snippet, title };
}

/** What the button says: Run, or Stop while the page says that something runs. */
export function runOrStop() {
  if (isBusy.peek()) stop();
  else if (comparison.peek() === null && source.peek().trim() !== "") void run();
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
 * Do what gives a run to show. What is on the screen stays until it is there.
 * @param {(own: AbortController) => Promise<void>} work
 */
async function follow(work) {
  leaveRun();
  const own = new AbortController();
  [current, asked] = [own, work];
  isPlaying.value = false;
  status.value = { kind: "running", isSlow: false, isStopping: false, isLoading: false, progress: null };
  warmUp();
  const patience = setTimeout(() => own === current && note({ isSlow: true }), PATIENCE_MS);
  try {
    await work(own);
  } catch (error) {
    if (own === current) fail(error);
  } finally {
    clearTimeout(patience);
    if (own === current) current = null;
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
 * @param {AbortController} own
 */
async function show(document, at, own) {
  const made = await laidOut(indexOf(document), own);
  batch(() => {
    present(made, at);
    zoom.value = 1;
    mode.value = "replay";
  });
}

/**
 * Shown while the visitor types on, at the step where he was or at the end; of code that cannot run yet, only
 * why.
 * @param {Document} document
 * @param {AbortController} own
 */
async function showBeside(document, own) {
  const index = indexOf(document);
  if (index.stops.every((stop) => stop.kind === "exception")) {
    status.value = { kind: "noted", id: `end-${index.ended.kind}`, args: index.end_arguments };
    return;
  }
  const made = await laidOut(index, own);
  batch(() => present(made, state.peek()?.is_last === false ? step.peek() : Infinity));
}

/**
 * @param {Index} index
 * @param {AbortController} own
 * @returns {Promise<Played>}
 */
async function laidOut(index, own) {
  if (!isWarm()) note({ isLoading: true, progress: null });
  const layouts = await layoutsOf(index);
  own.signal.throwIfAborted();
  return { index: withGranularity(index, granularity.peek()), ...layouts };
}

/**
 * One that was stopped is shown where it was stopped.
 * @param {Played} made
 * @param {number} at
 */
function present(made, at) {
  const last = made.index.stops.length - 1;
  const shown = latest;
  latest = made.index;
  if (shown !== null && shown.source !== latest.source) runBefore.value = shown;
  comparison.value = null;
  played.value = made;
  step.value = Math.max(0, Math.min(made.index.ended.kind === "cancelled" ? last : at, last));
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
    holdBack(secondsApart(error.retryAfter, Math.random()));
  }
}

/**
 * Until so many seconds are over nothing is run, and the visitor reads once more why.
 * @param {number} seconds
 */
function holdBack(seconds) {
  refusal = status.peek();
  const until = performance.now() + seconds * 1000;
  const count = () => {
    secondsLeft.value = Math.max(0, Math.ceil((until - performance.now()) / 1000));
    if (secondsLeft.peek() > 0) setTimeout(count, 1000);
  };
  count();
}
