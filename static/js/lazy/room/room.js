/** Owns the room that this page is in, the page's role in the room, and the actions of that role. */

import { effect, signal, untracked } from "../../../vendor/ui.js";
import { ApiError } from "../../io/api.js";
import { ownLinks } from "../../session/links.js";
import { loadChunk } from "../../panes/chunks.js";
import { noteIsOpen } from "../../state/presenting.js";
import { replay, room as roomCode, snippet, step } from "../../state/store.js";
import { loadPart, loadRunWords, sayRefusal } from "../../state/words.js";
import * as api from "./api.js";
import { hold, heldRoom, letGo } from "./held.js";
import { here, provideViews } from "./here.js";
import { InStep } from "./in-step.js";
import { Leading } from "./leading.js";
import { Link } from "./link.js";
import { isSame } from "./room-state.js";
import { loadVariants } from "./variants-part.js";

/** @import {Signal} from "../../../vendor/ui.js" */
/** @import {Secrets, Credentials} from "./api.js" */
/** @import {Shown} from "./here.js" */
/** @import {Role} from "./in-step.js" */

/** For this time in ms, a change in a window of this browser takes precedence over the room's value. */
const OWN_MS = 1_500;
/**
 * The beginning of `window.name` in the projected window, which the browser keeps when the window reloads.
 */
const PROJECTOR = "stepgrad-projector-";

/** @typedef {"teacher" | "projector" | "member"} RoleName */
/**
 * Messages between a teacher's windows: a change in one of them, or whether the card or the projected window
 * is shown.
 * @typedef {(
 *   | {kind: "shown", run: string | null, news: Partial<Shown>, isProjected: boolean}
 *   | {kind: "card" | "projector", is: boolean}
 *   | {kind: "hello"}
 * )} Message
 */

/** @type {Signal<Room | null>} */
export const room = signal(null);
/** Whether the card with the code is shown. */
export const cardIsOpen = signal(false);
/** Whether the teacher has a projected window open. If so, the card for joining is shown there. */
export const hasProjector = signal(false);

export class Room {
  code;
  /** @type {RoleName} */
  role;
  link;
  inStep;
  leading;
  /** @type {Credentials} */
  credentials;
  #channel;
  /**
   * For each key: when this browser last changed it, and the number of the room's last change at that time.
   * @type {Record<string, {at: number, n: number}>}
   */
  #changed = {};
  /** Whether the teacher's run is being stored behind a link. */
  #isStoring = false;

  /**
   * @param {string} code
   * @param {RoleName} role
   * @param {Credentials} credentials
   */
  constructor(code, role, credentials) {
    this.code = code;
    this.role = role;
    this.credentials = credentials;
    this.link = new Link(
      code,
      role,
      () => this.credentials,
      (refused) => this.#admit(refused),
    );
    this.leading = new Leading(
      code,
      () => this.credentials,
      (refused) => this.#admit(refused),
      (news) => "snippet" in news && this.inStep.wander(),
    );
    this.inStep = new InStep(this.link.state, this.#duties());
    this.#channel =
      role === "member" || !("BroadcastChannel" in window)
        ? null
        : new BroadcastChannel(`stepgrad-room-${code}-windows`);
    this.#channel?.addEventListener("message", ({ data }) => this.#hear(data));
    if (role === "teacher") this.#tell({ kind: "hello" });
    if (role === "projector") {
      this.#tell({ kind: "projector", is: true });
      addEventListener("pagehide", () => this.#tell({ kind: "projector", is: false }));
    }
    effect(() => {
      if (!this.link.isHeard.value) return;
      this.leading.tryNow();
      untracked(() => this.inStep.look());
    });
  }

  /** @param {boolean} isShown whether the card is shown, here or in the projected window */
  showCard(isShown) {
    cardIsOpen.value = isShown;
    this.#tell({ kind: "card", is: isShown });
  }

  /** @returns {Role} */
  #duties() {
    return {
      leads: this.role === "teacher",
      compare: async (run, picked, at) => (await loadVariants(room)).compare(run, picked, at),
      read: (wanted, signal) => api.recordingOf(this.code, this.credentials, wanted, signal),
      isHeld: (key) => this.#isNewer(key),
      onOwn: (news) => {
        if (this.role === "member") return this.inStep.wander();
        if (this.role === "teacher") this.leading.note(news);
        this.#keep(news);
        this.#tell({ kind: "shown", run: this.inStep.id, news, isProjected: this.role === "projector" });
      },
      onOther: () => {
        if (this.role === "member") this.inStep.wander();
        if (this.role === "teacher") void this.#leadRun();
        if (this.role === "projector" && this.inStep.isComparing) this.inStep.follow();
      },
    };
  }

  /**
   * Whether this page's value of a key is newer than the room's value, because the server may not have
   * received it yet.
   * @param {string} key
   */
  #isNewer(key) {
    const { n } = this.link.state.peek();
    const changed = this.#changed[key];
    if (this.leading.isUnderWay(key) || n < this.leading.arrivedAt) return true;
    return changed !== undefined && (n === changed.n || Date.now() < changed.at + OWN_MS);
  }

  /** @param {object} news the values that were changed here just now */
  #keep(news) {
    const { n } = this.link.state.peek();
    for (const key of Object.keys(news)) this.#changed[key] = { at: Date.now(), n };
    setTimeout(() => this.inStep.check(), OWN_MS + 10);
  }

  /** Stores the run on the teacher's page behind a link, and makes it the run of the room. */
  async #leadRun() {
    const shown = replay.peek();
    // Without a single run, the teacher is editing code or looking at a comparison.
    if (here.peek() === null || shown === null || this.#isStoring) return;
    this.#isStoring = true;
    if (this.inStep.isComparing) {
      this.inStep.dismiss();
      // An error means that the chunk for variants did not load.
      void loadVariants(room).then((variants) => variants.unpick(), console.error);
    }
    try {
      await shown.share(step.peek());
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.leading.refusal.value = sayRefusal(error);
      return;
    } finally {
      this.#isStoring = false;
    }
    const id = snippet.peek();
    if (replay.peek()?.alone?.index.header !== shown.alone?.index.header || id === null) return;
    this.inStep.leads(id, shown);
    const news = { snippet: id, ...here.peek() };
    this.#keep(news);
    this.leading.note(news);
  }

  /** @param {Message} message */
  #tell(message) {
    this.#channel?.postMessage(message);
  }

  /** @param {Message} message from another window of the teacher */
  #hear(message) {
    if (message.kind === "card") cardIsOpen.value = message.is;
    if (message.kind === "projector") hasProjector.value = message.is;
    if (message.kind === "hello" && this.role === "projector") this.#tell({ kind: "projector", is: true });
    if (message.kind !== "shown" || message.run !== this.inStep.id) return;
    this.#keep(message.news);
    this.inStep.show(message.news);
    if (this.role === "teacher" && message.isProjected) this.leading.note(message.news);
  }

  /**
   * Replaces credentials that the server does not accept, and resolves to whether there are new ones. A
   * member joins again. A teacher's secret may be outdated, because another window of this browser took over
   * the room.
   * @param {Credentials} refused
   */
  async #admit(refused) {
    if (this.role === "member") {
      this.credentials = { "X-Room-Token": (await api.joinRoom(this.code)).token };
      return true;
    }
    const held = heldRoom(this.code);
    const secret = this.role === "teacher" ? held?.secret : held?.projector;
    this.leading.isOver.value = secret === undefined || isSame(refused, { "X-Room-Secret": secret });
    if (this.leading.isOver.peek()) letGo(this.code);
    else if (secret !== undefined) this.credentials = { "X-Room-Secret": secret };
    return !this.leading.isOver.peek();
  }
}

/**
 * Opens a room on a link. This page becomes the teacher's page and leads the room with the shown run.
 * @param {string} link the id of the link
 */
export async function teach(link) {
  const token = ownLinks.peek().find(({ id }) => id === link)?.token;
  const { code, ...secrets } = await api.openRoom(link, token);
  hold(code, secrets, token === undefined ? null : link);
  const opened = await entered(new Room(code, "teacher", { "X-Room-Secret": secrets.secret }));
  if (snippet.peek() !== link || here.peek() === null) return opened.inStep.begin();
  // Report this page's state before anything else, because the room may already have sent the step with
  // which it began.
  opened.leading.note({ ...here.peek() });
  opened.inStep.begin(link);
}

/**
 * Enters the room that the address names.
 * @param {string} code
 */
export async function enter(code) {
  const held = heldRoom(code);
  const isProjector = window.name === PROJECTOR + code;
  const [role, credentials] =
    held === null
      ? [/** @type {const} */ ("member"), await token(code)]
      : isProjector
        ? [/** @type {const} */ ("projector"), { "X-Room-Secret": held.projector }]
        : [/** @type {const} */ ("teacher"), { "X-Room-Secret": held.secret }];
  (await entered(new Room(code, role, credentials))).inStep.begin();
}

/**
 * Joins the room and resolves to a member's credentials. Joining again returns the same token. If the server
 * cannot be reached, the token is empty, and a later attempt to connect requests it again.
 * @param {string} code
 * @returns {Promise<Credentials>}
 */
async function token(code) {
  const { token } = await api.joinRoom(code).catch(() => ({ token: "" }));
  return { "X-Room-Token": token };
}

/** Loads the other chunks that the page of a room needs before it shows the run. */
let prepare = async () => {};

/** @param {() => Promise<void>} what */
export function beforeShowing(what) {
  prepare = what;
}

/** @param {Room} opened */
async function entered(opened) {
  const [views] = await Promise.all([loadChunk("view"), loadPart("room"), loadRunWords()]);
  provideViews(views);
  room.value = opened;
  roomCode.value = opened.code;
  await prepare();
  effect(() => {
    if (opened.link.isGone.value) leave(opened);
  });
  effect(() => {
    if (opened.link.state.value.variants !== null) loadVariants(room).catch(() => undefined);
  });
  return opened;
}

/**
 * Leaves a room that is over. The page keeps showing the run, under an address that does not name the room.
 */
function leave(/** @type {Room} */ { code, inStep }) {
  inStep.end();
  letGo(code);
  roomCode.value = null;
  cardIsOpen.value = false;
}

/** Opens the projected window, or brings it to the front. */
export function openProjector() {
  const code = room.peek()?.code;
  if (code === undefined) return;
  window.open(`/r/${code}`, PROJECTOR + code, "popup,width=1280,height=800");
  noteIsOpen.value = true; // only on the teacher's own screen, not in the projected window
}

/** Ends the room for everybody. */
export async function endRoom() {
  const shown = room.peek();
  if (shown === null) return;
  await api.endRoom(shown.code, shown.credentials);
  shown.link.end();
}
