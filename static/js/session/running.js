/** Owns running a snippet: sending it to the server, progress, stopping, refusals, and showing the result. */

import { batch } from "../../vendor/ui.js";
import { ApiError, storedSnippet, runSnippet, stopRun } from "../io/api.js";
import { boot } from "../io/boot.js";
import { indexFrom } from "../io/documents.js";
import { isWarm, warmUp } from "../io/graph-layout.js";
import { isFile } from "../io/medium.js";
import { PATIENCE_MS, secondsApart } from "../io/progress.js";
import { inSlices, pause } from "../io/slices.js";
import { openingStop } from "../io/step-sentences.js";
import { preparingGroups } from "../layout/group-contents.js";
import { stopping } from "../run/stops/granularity.js";
import { preparing } from "../run/preparing.js";
import { layoutsAlone } from "../state/layouts.js";
import { asksFirst } from "../state/prediction.js";
import { programOf } from "../state/programs.js";
import {
  fault,
  granularity,
  hasEditor,
  heading,
  isBusy,
  isLinked,
  isPlaying,
  linked,
  mode,
  program,
  replay,
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
import { hasWords, listed, loadRunWords, say } from "../state/words.js";
import { askAfterRun, hangUp } from "./follow-ups.js";
import { noteLink } from "./links.js";
import { RunReplay } from "./run-replay.js";

/** @import {Progress} from "../io/progress.js" */
/** @import {Fault, Running, Status} from "../state/store.js" */
/** @import {Received} from "../io/api.js" */
/** @import {Document} from "../run/trace.d.ts" */
/** @import {Index} from "../run/types.d.ts" */

/**
 * Callbacks of the page: `panes` and `findings` load the code that shows a run and the cards of its
 * findings, and `keep` stores a program that ran. By default the callbacks do nothing, for a page that
 * already contains this code and stores no programs.
 */
let parts = {
  panes: async () => {},
  findings: async () => {},
  keep: (/** @type {string} */ _source) => {},
};

/**
 * Sets callbacks of the page (`parts`). Call this function once, before the first run.
 * @param {Partial<typeof parts>} given
 */
export function provideParts(given) {
  parts = { ...parts, ...given };
}

/** The function that sends a program to the server when a visitor presses Run. */
let sendRun = runSnippet;

/**
 * Replaces the function that sends a program to the server, for example in a room that collects the runs of
 * its students. Call this function once.
 * @param {typeof runSnippet} send
 */
export function provideRuns(send) {
  sendRun = send;
}

/**
 * @typedef {(controller: AbortController) => Promise<void>} Work resolves when the result is shown; rejects
 *   when it is cancelled
 */

/** @type {AbortController | null} */
let current = null;
/**
 * The timer of a run that starts when typing pauses.
 * @type {ReturnType<typeof setTimeout> | undefined}
 */
let soon;
/**
 * The latest request for a run, which "Try again" repeats.
 * @type {Work}
 */
let latestWork = async () => {};
/**
 * The run that is shown now or was shown last.
 * @type {Index | null}
 */
let latest = null;
/**
 * The status that explains why the server refused the last run. The page shows this status again while no
 * new run is allowed.
 * @type {Status}
 */
let refusal = { kind: "idle" };

/**
 * Runs the text in the editor. Cancels a run in progress.
 * @param {number} [at] the step to show first; by default the step in a link that contains the code, or the
 *   step at which the run opens
 */
export function run(at) {
  return begin(async (controller) => {
    const text = source.peek();
    const first = at ?? (isLinked.peek() ? linked.peek()?.step : null) ?? undefined;
    const received = await sendRun(text, standIn.peek(), controller.signal, reading);
    if (!(await show(received, first, controller))) return;
    parts.keep(text);
    const shared = linked.peek();
    if (shared !== null) linked.value = { ...shared, step: null };
    askFurther(null);
  });
}

/** In live mode, the time in ms without a key press after which a run starts. */
const PAUSE_MS = 600;

/**
 * Runs the text in the editor after a pause in typing, and stays in the editor. Cancels a run in progress.
 */
export function runSoon() {
  leaveRun();
  soon = setTimeout(() => {
    if (secondsLeft.peek() > 0 || source.peek().trim() === "") return;
    void follow(async (controller) => {
      await showBeside(await documentOf(source.peek(), standIn.peek(), controller), controller);
      askFurther(null);
    });
  }, PAUSE_MS);
}

/**
 * If an error says that the server no longer has the recording of the shown run, runs the code again, shows
 * a notice, and returns true. In a comparison this function does nothing, because the comparison shows a
 * notice of its own.
 * @param {ApiError} error
 */
export function runAgainIfGone({ kind }) {
  const index = replay.peek()?.alone?.index;
  if (kind !== "recording_gone" || index === undefined) return false;
  const [at, stand_in] = [step.peek(), index.header.stand_in ?? false];
  toast.value = { text: say("recording-gone") };
  void begin(async (controller) => {
    if (await show(await documentOf(index.source, stand_in, controller), at, controller)) askFurther(null);
  });
  return true;
}

/** Repeats the request that the server refused or that failed. */
export function tryAgain() {
  if (secondsLeft.peek() === 0) void follow(latestWork);
}

/**
 * Requests a stored snippet and shows its run.
 * @param {string} id
 * @param {number | null} at the step to show first; null: the step at which the run opens
 * @param {(id: string, signal: AbortSignal) => ReturnType<typeof storedSnippet>} [read] requests the
 *   snippet; needed if the id is not a link
 */
export function openSnippet(id, at, read = storedSnippet) {
  return follow(async (controller) => {
    const stored = await read(id, controller.signal);
    source.value = stored.source;
    standIn.value = stored.stand_in ?? false;
    const isShown = await show(stored, at ?? undefined, controller);
    if (isShown) askFurther(id);
    snippet.value = id;
    const { title = "", author = "", notes = {}, parent = null } = stored;
    heading.value = { id, title, author, notes, parent };
    if (isShown && latest !== null) noteLink(latest, id);
    program.value = programOf(stored.source);
    if (stored.notice) {
      const words = `notice-${stored.notice.kind}`;
      toast.value = { text: hasWords(words) ? say(words) : stored.notice.message };
    } else if (latest !== null) {
      const packages = Object.keys(latest.header.packages ?? {}).filter(
        (name) => !boot.imports.some(([here]) => here === name),
      );
      if (packages.length > 0) toast.value = { text: say("notice-packages", { packages: listed(packages) }) };
    }
  });
}

/**
 * Shows the run of a document that the page already contains.
 * @param {Document} document
 * @param {number} [at] the step to show first; by default the step at which the run opens
 */
export function openDocument(document, at) {
  return follow(async (controller) => {
    source.value = document.trace.source;
    standIn.value = document.trace.header.stand_in ?? false;
    await show({ document, text: "" }, at, controller);
  });
}

/**
 * Runs a snippet on the server, shows its progress, and returns the received document of the run.
 * @param {string} text
 * @param {boolean} stand_in
 * @param {AbortController} controller
 */
export function documentOf(text, stand_in, controller) {
  return runSnippet(text, stand_in, controller.signal, reading);
}

/** Runs the text in the editor. If the page shows a run in progress, stops that run instead. */
export function runOrStop() {
  if (isFile) return;
  if (isBusy.peek()) stop();
  else if (hasEditor.peek() && source.peek().trim() !== "") void run();
}

/**
 * Asks the server to stop the run, whose recording so far is then shown. If the server has not registered
 * the run yet, or was already asked to stop it, the page abandons the run.
 */
export function stop() {
  const now = status.peek();
  if (now.kind !== "running" || now.progress === null || !("run" in now.progress) || now.isStopping)
    return leaveRun();
  note({ isStopping: true });
  // An error is ignored, because the run may have ended already.
  stopRun(now.progress.run).catch(() => undefined);
}

/** Abandons the run in progress. The server cancels the run when the connection is closed. */
export function leaveRun() {
  clearTimeout(soon);
  hangUp();
  current?.abort();
  current = null;
  if (status.peek().kind === "running") status.value = { kind: "idle" };
}

/**
 * Loads the code and the messages that show a run. Errors are ignored here, because showing a run loads the
 * same parts again and reports the error.
 */
export function prepareForRuns() {
  warmUp();
  parts.panes().catch(() => undefined);
  loadRunWords().catch(() => undefined);
}

/**
 * Starts a request for a run. If the server refused a run and the waiting time is not over, shows the reason
 * instead. The shown run stays until the new run arrives.
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
  status.value = { kind: "running", isSlow: false, isStopping: false, progress: null };
  prepareForRuns();
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

/** @param {Progress} progress of a run, or of the work after it */
export function reading(progress) {
  note({ progress });
}

/** @param {Partial<Running>} more */
function note(more) {
  const now = status.peek();
  if (now.kind === "running") status.value = { ...now, ...more };
}

/**
 * @param {Received} received
 * @param {number | undefined} at
 * @param {AbortController} controller
 * @returns {Promise<boolean>} whether there is a run to show
 */
async function show(received, at, controller) {
  const index = await indexFrom(received, controller.signal, reading);
  fault.value = faultOf(index);
  if (fault.peek() !== null) {
    batch(() => {
      status.value = { kind: "idle" };
      mode.value = "edit";
    });
    return false;
  }
  const replay = await replayOf(index, controller);
  batch(() => {
    present(replay, at ?? openingStop(replay.index, asksFirst.peek()));
    zoom.value = 1;
    mode.value = "replay";
  });
  return true;
}

/**
 * The reason why no statement of a program ran: the text is not valid Python, or contains only comments. The
 * page then stays in the editor, because there is no step to show. null if a statement ran.
 * @param {Index} index
 * @returns {Fault | null}
 */
function faultOf({ source, steps, ended, end_arguments }) {
  const [only, more] = steps;
  if (ended.kind === "finished" && only === undefined)
    return { source, line: null, note: "", id: "nothing-ran", args: {} };
  if (ended.kind !== "raised" || more !== undefined || (only !== undefined && only.kind !== "exception"))
    return null;
  const line = ended.line ?? only?.span?.line ?? null;
  if (line === null) return { source, line, note: "", id: "end-raised", args: end_arguments };
  const { type = "", message = "" } = end_arguments;
  const told = String(message).replace(` (snippet.py, line ${line})`, "");
  return { source, line, note: `${type}: ${told}`, id: "fault-syntax", args: { line, message: told } };
}

/**
 * Shows a run next to the editor, in live mode. The step stays the same; if the last step or no run was
 * shown, the last step is shown. If no statement ran to its end, a message says why.
 * @param {Received} received
 * @param {AbortController} controller
 */
async function showBeside(received, controller) {
  const index = await indexFrom(received, controller.signal, reading);
  fault.value = faultOf(index);
  if (index.stops.every((stop) => stop.kind === "exception")) {
    const { id, args } = fault.peek() ?? { id: `end-${index.ended.kind}`, args: index.end_arguments };
    status.value = { kind: "noted", id, args };
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
  noteLayingOut();
  const ready = await prepared(index, layoutsAlone, controller.signal);
  return new RunReplay(ready.index, ready.layouts);
}

/**
 * Shows as progress that the pictures of the run are being laid out, or that the layout engine is still
 * loading.
 */
export function noteLayingOut() {
  note({ progress: { phase: isWarm() ? "drawing" : "loading" } });
}

/**
 * Prepares a run to be shown: its stops, its layouts, and the code and messages that show it.
 * @param {Index} index
 * @param {typeof layoutsAlone} laidOut
 * @param {AbortSignal} signal
 */
export async function prepared(index, laidOut, signal) {
  const [layouts, stepped] = await Promise.all([
    laidOut(index, signal),
    inSlices(stopping(index, granularity.peek()), signal),
    index.findings.length > 0 ? parts.findings() : null,
    parts.panes(),
    loadRunWords(),
  ]);
  await inSlices(preparing(stepped), signal);
  await inSlices(preparingGroups(stepped, layouts.graph.peek()), signal);
  await pause(); // a pause, so that drawing the run is a separate task of the browser
  signal.throwIfAborted();
  return { index: stepped, layouts };
}

/**
 * Shows a run at a step. A run that the visitor stopped is shown at its last step.
 * @param {RunReplay} replay
 * @param {number} at
 */
function present(replay, at) {
  wasShown(replay.index);
  showReplay(replay, replay.index.ended.kind === "cancelled" ? Infinity : at);
  status.value = { kind: "idle" };
}

/**
 * Records which run is shown. If the previously shown run had other code, the page offers to compare both
 * runs.
 * @param {Index} index
 */
export function wasShown(index) {
  if (latest !== null && latest.source !== index.source) runBefore.value = latest;
  latest = index;
}

/** @param {string | null} snippet id of the stored snippet of the shown run; null: not stored */
function askFurther(snippet) {
  if (latest !== null) askAfterRun(latest, snippet);
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
 * Allows no run for a number of seconds. A request during this time shows the reason instead.
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
