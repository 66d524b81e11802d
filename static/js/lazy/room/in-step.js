/**
 * Synchronises a page with its room. The page shows the room's state. A change that the visitor makes on the
 * page goes to the room if the visitor is the teacher, and a student's page then stops following.
 */

import { batch, effect, signal, untracked } from "../../../vendor/ui.js";
import { replaceSource } from "../../session/actions.js";
import { leaveRun, openSnippet } from "../../session/running.js";
import { programOf } from "../../state/programs.js";
import {
  fault,
  granularity,
  hasEditor,
  isPlaying,
  mode,
  program,
  replay,
  showReplay,
  snippet,
  source,
  standIn,
  status,
} from "../../state/store.js";
import { areSameRuns, comparisonOfRoom, here, showAt, showSelection, SHOWN, showView } from "./here.js";
import { isSame, pickedIn, readAt } from "./room-state.js";

/** @import {ReadonlySignal, Signal} from "../../../vendor/ui.js" */
/** @import {storedSnippet} from "../../io/api.js" */
/** @import {Replay} from "../../state/replay.d.ts" */
/** @import {Shown} from "./here.js" */
/** @import {Picked, RoomSnippet, RoomState} from "./room-state.js" */

/**
 * Groups that open within this time in ms after a click or key press count as the visitor's change, because
 * a layout takes time.
 */
const GESTURE_MS = 3_000;
/**
 * The delay in ms between two attempts to fetch a recording. A random part prevents that the members of a
 * class fetch all at once. The delay doubles after each failure, because the recording may no longer exist.
 */
const AGAIN = { least: 1_000, more: 4_000, most: 60_000 };

/**
 * The run of the room, as this page shows it.
 * @typedef {{id: string, replay: Replay, source: string}} OwnRun
 */
/**
 * What a teacher's and a student's page do differently. `read` fetches a recording. `compare` opens the
 * outcomes that the teacher picked next to the run at a step, and resolves to whether this page must then
 * lead the room to another step. `isHeld` returns whether the page's value of a key is newer than the room's
 * value. `onOwn` is called with the values that the visitor changed, and `onOther` when the visitor opened
 * another run, the editor, or a comparison. `leads`: whether the room shows the state of this page.
 * @typedef {object} Role
 * @property {boolean} leads
 * @property {(snippet: RoomSnippet, signal: AbortSignal) => ReturnType<typeof storedSnippet>} read
 * @property {(run: OwnRun, picked: Picked[], at: number) => Promise<boolean>} compare
 * @property {(key: string) => boolean} isHeld
 * @property {(news: Partial<Shown>) => void} onOwn
 * @property {() => void} onOther
 */

export class InStep {
  isFollowing = signal(true);
  /**
   * The run of the room, as this page shows it.
   * @type {Signal<Replay | null>}
   */
  shown = signal(null);
  /**
   * The student's own version of the room's code, kept while the student follows again.
   * @type {Signal<string | null>}
   */
  copy = signal(null);
  /** @type {ReadonlySignal<RoomState>} */
  #state;
  #role;
  /** @type {OwnRun | null} */
  #run = null;
  /**
   * The comparison that the room shows instead of its run. `key`: the links of the picked outcomes.
   * @type {{key: string, replay: Replay} | null}
   */
  #both = null;
  /** @type {RoomSnippet | null} */
  #loading = null;
  /** The number of consecutive failures to show the room's run or comparison. */
  #failures = 0;
  /**
   * The key of the comparison that is being opened; null: none.
   * @type {string | null}
   */
  #comparing = null;
  /** The key of the comparison that the teacher closed, which must not be opened again. */
  #dismissed = "";
  /**
   * The last values that the room sent, or that this page reported.
   * @type {Partial<Shown>}
   */
  #said = {};
  /**
   * The values that the page showed after it applied `#said`. The shown values may differ from `#said`: for
   * example, a step beyond the end becomes the last step.
   * @type {Partial<Shown>}
   */
  #seen = {};
  /** The number of layouts in progress that changes of the room caused. */
  #arranging = 0;
  #pressedAt = -Infinity;
  /** @type {(() => void)[]} */
  #ends = [];

  /**
   * @param {ReadonlySignal<RoomState>} state
   * @param {Role} role
   */
  constructor(state, role) {
    this.#state = state;
    this.#role = role;
    for (const name of ["keydown", "pointerup", "touchend"])
      addEventListener(name, () => (this.#pressedAt = performance.now()), { capture: true, passive: true });
  }

  /**
   * Starts the synchronisation.
   * @param {string} [id] the link whose run is already shown, on a page that leads
   */
  begin(id) {
    const shown = replay.peek();
    if (id !== undefined && shown !== null) this.leads(id, shown);
    const checks = effect(() => {
      void [this.#state.value, this.isFollowing.value];
      untracked(() => this.check());
    });
    const looks = effect(() => {
      void [here.value, replay.value, isPlaying.value];
      untracked(() => this.look());
    });
    this.#ends = [checks, looks];
  }

  /** Ends the synchronisation when the room is over. */
  end() {
    for (const end of this.#ends) end();
    this.#run = null;
  }

  /**
   * Makes the run that is shown here the run of the room.
   * @param {string} id
   * @param {Replay} shown
   */
  leads(id, shown) {
    this.#run = { id, replay: shown, source: source.peek() };
    this.#showsBoth(null);
    this.shown.value = shown;
    this.#said = this.#seen = { ...here.peek() };
  }

  /** Shows the room's state, if this page follows. */
  check() {
    const now = this.#state.peek();
    if (!this.isFollowing.peek() || now.snippet === undefined || now.ended) return;
    if (this.#run?.id !== now.snippet.id) {
      if (!this.#role.isHeld("snippet")) void this.#load(now.snippet);
      return;
    }
    const picked = this.#pickedIn(now);
    const key = keyOf(picked);
    if (this.#comparing !== null && this.#comparing !== key) this.#giveUp();
    if (key === "" && this.#both !== null) return this.#endComparison();
    if (here.peek() === null || !this.#isShown()) return; // the teacher edits
    if (key !== (this.#both?.key ?? "")) return void this.#compare(this.#run, picked);
    const keys = this.#both === null ? SHOWN : /** @type {const} */ (["at"]);
    const news = keys.filter((key) => !isSame(now[key], this.#said[key]) && !this.#role.isHeld(key));
    if (news.length > 0) this.show(Object.fromEntries(news.map((key) => [key, now[key]])));
  }

  /**
   * Shows values that came from the room or from another window of this browser.
   * @param {Partial<Shown>} news
   */
  show(news) {
    this.#said = { ...this.#said, ...news };
    batch(() => {
      if (news.at !== undefined) showAt(news.at);
      // The selection is empty now if the selected Node does not exist at this step.
      this.#note("at", "selection");
    });
    if (news.view === undefined) this.#select(news);
    else void this.#arrange(news, news.view);
  }

  /**
   * The id of the link that the room shows, or the joined ids of its comparison; null: this page shows
   * nothing of the room yet.
   */
  get id() {
    return this.#both?.key ?? this.#run?.id ?? null;
  }

  /** Whether the room shows a comparison. */
  get isComparing() {
    return this.#both !== null || this.#comparing !== null;
  }

  /**
   * On the teacher's page, closes the comparison and shows the run, before the server confirms that no
   * outcome is picked any more.
   */
  dismiss() {
    this.#dismissed = keyOf(pickedIn(this.#state.peek()));
    this.#showsBoth(null);
  }

  /** Stops following. */
  wander() {
    this.isFollowing.value = false;
  }

  /** Stops following, and puts the student's own version into the editor. */
  toCopy() {
    const text = this.copy.peek();
    if (text === null) return;
    this.wander();
    batch(() => {
      replaceSource(text);
      mode.value = "edit";
    });
  }

  /** Stops following, and opens the editor with the student's own version or the room's code. */
  toCode() {
    const run = this.#run;
    if (run === null) return;
    this.wander();
    batch(() => {
      if (!hasEditor.peek()) showReplay(run.replay);
      if (source.peek() === run.source && this.copy.peek() !== null) replaceSource(this.copy.peek() ?? "");
      mode.value = "edit";
    });
  }

  /** Makes the page follow the room again, and shows the room's current state. */
  follow() {
    const run = this.#run;
    if (run !== null) {
      leaveRun();
      [this.#comparing, this.#dismissed] = [null, ""];
      const isPicked = keyOf(pickedIn(this.#state.peek())) === this.#both?.key;
      const both = isPicked ? this.#both : null;
      if (source.peek() !== run.source) this.copy.value = source.peek();
      batch(() => {
        isPlaying.value = false;
        source.value = run.source;
        standIn.value = run.replay.runs[0]?.header.stand_in ?? false;
        program.value = programOf(run.source);
        [snippet.value, fault.value, status.value] = [run.id, null, { kind: "idle" }];
        this.#showsBoth(both);
        if (!this.#isShown()) {
          const shown = both?.replay ?? run.replay;
          showReplay(shown);
          shown.fit();
        }
        mode.value = "replay";
      });
      this.#said = {};
    }
    this.isFollowing.value = true;
    this.check();
  }

  /** Whether the page shows the run or comparison of the room, at any granularity. */
  #isShown() {
    return areSameRuns(replay.peek(), this.#both?.replay ?? this.#run?.replay ?? null);
  }

  /** Compares the page with the values it last showed, and reports the changes that the visitor made. */
  look() {
    const isOpening = this.#loading !== null || this.#comparing !== null;
    if (this.#run === null || isOpening || !this.isFollowing.peek()) return;
    const now = here.peek();
    if (now === null || !this.#isShown()) return this.#role.onOther();
    const isGesture = performance.now() - this.#pressedAt < GESTURE_MS;
    if (!isGesture || this.#arranging > 0) this.#note("view");
    // A group that opens because of the room loses its selection before the room's selection is shown. The
    // loss of the selection must not count as the visitor's change.
    if (!isGesture && this.#arranging > 0) this.#note("selection");
    const keys = SHOWN.filter((key) => !isSame(now[key], this.#seen[key]));
    if (keys.length === 0) return;
    const news = Object.fromEntries(keys.map((key) => [key, now[key]]));
    this.#said = { ...this.#said, ...news };
    this.#seen = { ...this.#seen, ...news };
    this.#role.onOwn(news);
  }

  /** @param {(keyof Shown)[]} keys whose present values do not count as the visitor's change */
  #note(...keys) {
    const now = here.peek();
    if (now !== null)
      this.#seen = { ...this.#seen, ...Object.fromEntries(keys.map((key) => [key, now[key]])) };
  }

  /**
   * @param {Partial<Shown>} news
   * @param {string} view
   */
  async #arrange(news, view) {
    this.#arranging += 1;
    try {
      await showView(view);
    } finally {
      this.#arranging -= 1;
      this.#note("view", "selection");
    }
    this.#select(news); // only now, because the group of the selected item must be open
  }

  /** @param {Partial<Shown>} news */
  #select({ selection }) {
    if (selection === undefined || !this.isFollowing.peek()) return;
    batch(() => {
      showSelection(selection);
      this.#note("selection"); // so that `look` does not count the selection as the visitor's change
    });
  }

  /** @param {RoomSnippet} wanted */
  async #load(wanted) {
    if (this.#loading?.recording === wanted.recording) return;
    this.#loading = wanted;
    const at = readAt(this.#state.peek().at);
    granularity.value = at?.by ?? granularity.peek();
    await openSnippet(wanted.id, at?.step ?? 0, (_, signal) => this.#role.read(wanted, signal));
    if (this.#loading !== wanted) return;
    this.#loading = null;
    const shown = replay.peek();
    if (snippet.peek() === wanted.id && shown?.alone) {
      this.#failures = 0;
      this.leads(wanted.id, shown);
      this.#said = {};
      this.check();
    } else this.#checkLater();
  }

  #checkLater() {
    const wait = (AGAIN.least + Math.random() * AGAIN.more) * 2 ** this.#failures;
    this.#failures += 1;
    setTimeout(() => this.check(), Math.min(AGAIN.most, wait));
  }

  /**
   * Opens a comparison of the outcomes that the teacher picked, and shows it instead of the run.
   * @param {OwnRun} run
   * @param {Picked[]} picked
   */
  async #compare(run, picked) {
    const key = keyOf(picked);
    if (this.#comparing === key) return;
    this.#comparing = key;
    const at = readAt(this.#state.peek().at);
    granularity.value = at?.by ?? granularity.peek();
    const before = replay.peek();
    // undefined if the chunk for comparisons did not load
    const leads = await this.#role.compare(run, picked, at?.step ?? 0).catch(console.error);
    if (this.#comparing !== key) return; // the page stopped following, or other outcomes were picked
    this.#comparing = null;
    const shown = replay.peek();
    if (leads === undefined || shown === null || shown === before || shown.alone !== null) {
      const now = status.peek();
      if (leads !== undefined && now.kind === "failed" && !now.canRetry) this.#dismissed = key;
      return this.#checkLater();
    }
    this.#failures = 0;
    batch(() => {
      this.#showsBoth({ key, replay: shown });
      this.#said = {};
      this.#seen = leads ? {} : { ...here.peek() };
    });
    if (leads) this.look();
    else this.check();
  }

  /** Closes the comparison and shows the run of the room again, because no outcome is picked any more. */
  #endComparison() {
    const [run, isHere] = [this.#run, this.#isShown()];
    batch(() => {
      this.#showsBoth(null);
      if (isHere) replay.peek()?.leave();
      if (isHere && !this.#isShown()) showReplay(run?.replay ?? null);
      this.#said = {};
      this.#seen = this.#role.leads ? {} : { ...here.peek() };
    });
    this.look();
    this.check();
  }

  /** Stops opening a comparison, because its outcomes are no longer picked. */
  #giveUp() {
    this.#comparing = null;
    leaveRun();
  }

  /** @param {RoomState} state */
  #pickedIn(state) {
    const picked = pickedIn(state);
    if (keyOf(picked) !== this.#dismissed) this.#dismissed = "";
    return this.#dismissed === "" ? picked : [];
  }

  /** @param {{key: string, replay: Replay} | null} both */
  #showsBoth(both) {
    this.#both = both;
    comparisonOfRoom.value = both?.replay ?? null;
  }
}

/** @param {Picked[]} picked */
function keyOf(picked) {
  return picked.map(({ link }) => link).join();
}
