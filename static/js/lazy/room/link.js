/**
 * Receives the state of a room for this window: as an event stream, by polling if no stream gets through, or
 * from another window of this browser. A hidden window has no connection.
 */

import { signal } from "../../../vendor/ui.js";
import { ApiError } from "../../io/api.js";
import { eventsOf, piecesOf } from "../../io/event-stream.js";
import { changesOf, streamOf } from "./api.js";
import { after, isHeard, OFF } from "./connection.js";
import { told, UNKNOWN } from "./room-state.js";
import { after as placeAfter, outside } from "./windows.js";

/** @import {Signal} from "../../../vendor/ui.js" */
/** @import {Credentials} from "./api.js" */
/** @import {Happening as OfConnection} from "./connection.js" */
/** @import {Happening as OfPlace, Word} from "./windows.js" */
/** @import {RoomState} from "./room-state.js" */

/** @typedef {{kind: "told", state: RoomState, isHeard: boolean}} FromLeader sent by the leading window */
/** @typedef {{number: number, controller: AbortController}} Try */

export class Link {
  /** @type {Signal<RoomState>} */
  state = signal(UNKNOWN);
  isHeard = signal(true);
  /** Whether the room is over or does not exist. */
  isGone = signal(false);
  #code;
  /** @type {() => Credentials} */
  #credentials;
  #admit;
  #channel;
  #connection = OFF;
  #place = outside(crypto.getRandomValues(new Uint32Array(2)).join("-"));
  /** @type {Try | null} */
  #stream = null;
  /** @type {Try | null} */
  #poll = null;
  #timer = 0;

  /**
   * @param {string} code
   * @param {string} role windows of the same role share a stream
   * @param {() => Credentials} credentials
   * @param {(refused: Credentials) => Promise<boolean>} admit called if the server does not know the
   *   credentials; resolves to whether there are new credentials to try
   */
  constructor(code, role, credentials, admit) {
    this.#code = code;
    this.#credentials = credentials;
    this.#admit = admit;
    this.#channel =
      "BroadcastChannel" in window ? new BroadcastChannel(`stepgrad-room-${code}-${role}`) : null;
    this.#channel?.addEventListener("message", ({ data }) => this.#hear(data));
    document.addEventListener("visibilitychange", () => this.#look());
    window.addEventListener("pageshow", () => this.#look());
    window.addEventListener("pagehide", () => this.#move({ kind: "stop" }));
    window.addEventListener("online", () => this.#happen({ kind: "nudge" }));
    this.#look();
  }

  /** Closes the connection permanently. */
  end() {
    this.isGone.value = true;
    this.#move({ kind: "stop" });
    this.#channel?.close();
    this.#channel = null;
  }

  #look() {
    if (this.isGone.peek()) return;
    if (document.visibilityState === "hidden") return this.#move({ kind: "stop" });
    this.#move({ kind: "start" });
    this.#happen({ kind: "nudge" });
  }

  /** @param {OfPlace} what */
  #move(what) {
    const was = this.#place;
    const { place, say } = placeAfter(was, what, Date.now(), Math.random());
    this.#place = this.#channel === null && place.phase === "asking" ? { ...place, wakeAt: 0 } : place;
    if (say !== null) this.#channel?.postMessage({ kind: say, from: place.id, since: place.since });
    if (place.phase === "leading" && was.phase !== "leading") this.#happen({ kind: "start" });
    if (place.phase !== "leading" && was.phase === "leading") this.#happen({ kind: "stop" });
    this.#wake();
  }

  /** @param {OfConnection} what */
  #happen(what) {
    this.#connection = after(this.#connection, what, Date.now(), Math.random());
    const { stream, poll } = this.#connection;
    if (stream !== (this.#stream?.number ?? null)) {
      this.#stream?.controller.abort();
      this.#stream = begun(stream);
      if (this.#stream !== null) void this.#read(this.#stream);
    }
    if (poll !== (this.#poll?.number ?? null)) {
      this.#poll?.controller.abort();
      this.#poll = begun(poll);
      if (this.#poll !== null) void this.#ask(this.#poll);
    }
    if (this.#place.phase === "leading") this.#note(this.state.peek(), isHeard(this.#connection));
    this.#wake();
  }

  #wake() {
    clearTimeout(this.#timer);
    const at = Math.min(this.#connection.wakeAt, this.#place.wakeAt);
    if (at === Infinity) return;
    this.#timer = window.setTimeout(
      () => {
        this.#move({ kind: "tick" });
        this.#happen({ kind: "tick" });
      },
      Math.max(10, at - Date.now()),
    );
  }

  /** @param {Try} stream */
  async #read(stream) {
    const isNow = () => this.#stream === stream;
    const credentials = this.#credentials();
    try {
      const body = await streamOf(this.#code, credentials, stream.controller.signal);
      const pieces = heard(piecesOf(body), () => isNow() && this.#happen({ kind: "bytes" }));
      for await (const { text } of eventsOf(pieces)) {
        if (!isNow()) return;
        this.#take(JSON.parse(text));
      }
      if (isNow()) this.#happen({ kind: "ended" });
    } catch (error) {
      if (isNow()) await this.#fail("ended", error, credentials, isNow);
    }
  }

  /** @param {Try} poll */
  async #ask(poll) {
    const isNow = () => this.#poll === poll;
    const credentials = this.#credentials();
    try {
      const { n } = this.state.peek();
      const news = await changesOf(this.#code, credentials, n, poll.controller.signal);
      if (!isNow()) return;
      this.#take(news);
      this.#happen({ kind: "polled" });
    } catch (error) {
      if (isNow()) await this.#fail("unanswered", error, credentials, isNow);
    }
  }

  /**
   * @param {"ended" | "unanswered"} kind
   * @param {unknown} error
   * @param {Credentials} credentials
   * @param {() => boolean} isNow
   */
  async #fail(kind, error, credentials, isNow) {
    const known = error instanceof ApiError ? error : null;
    if (known?.kind === "unknown_room") return this.#take({ n: Infinity, ended: true });
    if (known?.kind === "not_allowed" && !(await this.#admit(credentials).catch(() => true)))
      return this.#move({ kind: "stop" });
    if (isNow()) this.#happen({ kind, retryAfter: known?.retryAfter });
  }

  /** @param {unknown} news */
  #take(news) {
    this.#note(told(this.state.peek(), news), isHeard(this.#connection));
    if (this.state.peek().ended) this.end();
  }

  /**
   * @param {RoomState} state
   * @param {boolean} isHeard
   */
  #note(state, isHeard) {
    const isNews = state !== this.state.peek() || isHeard !== this.isHeard.peek();
    this.state.value = state;
    this.isHeard.value = isHeard;
    if (isNews) this.#tell();
  }

  #tell() {
    this.#channel?.postMessage({
      kind: "told",
      state: this.state.peek(),
      isHeard: this.isHeard.peek(),
    });
  }

  /** @param {FromLeader | Word} data from another window */
  #hear(data) {
    if (data.kind !== "told") {
      this.#move({ kind: "word", word: data });
      if (data.kind === "ask" && this.#place.phase === "leading") this.#tell();
    } else if (this.#place.phase === "listening" || this.#place.phase === "asking") {
      if (data.state.n >= this.state.peek().n) this.state.value = data.state;
      this.isHeard.value = data.isHeard;
      if (data.state.ended) this.end();
    }
  }
}

/**
 * @param {number | null} number
 * @returns {Try | null}
 */
function begun(number) {
  return number === null ? null : { number, controller: new AbortController() };
}

/**
 * @template T
 * @param {AsyncIterable<T>} pieces
 * @param {() => void} note
 */
async function* heard(pieces, note) {
  for await (const piece of pieces) {
    note();
    yield piece;
  }
}
