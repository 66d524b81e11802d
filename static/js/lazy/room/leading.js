/**
 * Sends the changes on a teacher's page to the room. While the server cannot be reached, the page works as
 * usual, and the changes are sent later.
 */

import { signal } from "../../../vendor/ui.js";
import { ApiError } from "../../io/api.js";
import { sayRefusal } from "../../state/words.js";
import { lead } from "./api.js";
import { arrived, dueAt, EMPTY, failed, isUnderWay, noted, refused, sending } from "./outbox.js";

/** @import {Signal} from "../../../vendor/ui.js" */
/** @import {Credentials} from "./api.js" */

export class Leading {
  /** Whether the server has not received the teacher's changes for some time. */
  isAlone = signal(false);
  /**
   * The text for the teacher that states why the server refused a change; null: it refused none.
   * @type {Signal<string | null>}
   */
  refusal = signal(null);
  /** Whether another device took over the room, so that this page's secret is no longer valid. */
  isOver = signal(false);
  /**
   * The number of this page's last change that the server received. A state of the room with a smaller
   * number is older.
   */
  arrivedAt = 0;
  #code;
  /** @type {() => Credentials} */
  #credentials;
  #admit;
  #onRefused;
  #box = EMPTY;
  #timer = 0;

  /**
   * @param {string} code
   * @param {() => Credentials} credentials
   * @param {(refused: Credentials) => Promise<boolean>} admit called if the server does not know the secret;
   *   resolves to whether there is another secret to try
   * @param {(news: Record<string, unknown>) => void} onRefused called if the server refuses a change
   */
  constructor(code, credentials, admit, onRefused) {
    this.#code = code;
    this.#credentials = credentials;
    this.#admit = admit;
    this.#onRefused = onRefused;
  }

  /** @param {Record<string, unknown>} news */
  note(news) {
    this.#box = noted(this.#box, news);
    this.#plan();
  }

  /** @param {string} key */
  isUnderWay(key) {
    return isUnderWay(this.#box, key);
  }

  /** Sends pending changes immediately, because the server can be reached again. */
  tryNow() {
    if (this.#box.failures === 0) return;
    this.#box = { ...this.#box, nextAt: Date.now() };
    this.#plan();
  }

  #plan() {
    clearTimeout(this.#timer);
    const at = this.isOver.peek() ? Infinity : dueAt(this.#box);
    if (at === Infinity) return;
    const left = at - Date.now();
    if (left <= 0) void this.#send();
    else this.#timer = window.setTimeout(() => this.#plan(), left);
  }

  async #send() {
    this.#box = sending(this.#box, Date.now());
    const [news, credentials] = [this.#box.sending ?? {}, this.#credentials()];
    try {
      this.arrivedAt = (await lead(this.#code, credentials, news)).n;
      this.#box = arrived(this.#box);
      this.isAlone.value = false;
      if ("snippet" in news) this.refusal.value = null;
    } catch (error) {
      await this.#fail(error, credentials);
    }
    this.#plan();
  }

  /**
   * @param {unknown} error
   * @param {Credentials} credentials
   */
  async #fail(error, credentials) {
    const { status, kind, retryAfter } = error instanceof ApiError ? error : new ApiError(0, "error");
    const mayPass = status === 0 || status === 429 || status >= 500;
    if (mayPass || (kind === "not_allowed" && (await this.#admit(credentials)))) {
      this.#box = failed(this.#box, retryAfter, Date.now(), Math.random());
      this.isAlone.value = this.#box.failures > 1;
      return;
    }
    this.isAlone.value = false;
    this.#onRefused(this.#box.sending ?? {});
    this.#box = refused(this.#box);
    const isTold = kind === "not_allowed" || kind === "unknown_room"; // the bar of the room already shows these two refusals
    if (!isTold && error instanceof ApiError) this.refusal.value = sayRefusal(error);
  }
}
