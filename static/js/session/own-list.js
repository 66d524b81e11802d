/**
 * Owns the lists of items (links, lectures) that this browser stored on the server: their ids, the tokens
 * that permit changing and deleting them, and the requests for both.
 */

import { signal } from "../../vendor/ui.js";
import { changeOwn, removeOwn } from "../io/api.js";
import { listIn, readStored, writeStored } from "../io/browser-storage.js";

/** @import {Heading} from "../io/api.js" */
/** @import {Lecture} from "../io/lectures.js" */

/**
 * An item that this browser stored. `day`: such as 2026-11-23. `title` and `day` are "" in entries of older
 * versions.
 * @typedef {{id: string, token: string, title: string, day: string}} Own
 */

/** The maximum number of entries of a list. The oldest entries are dropped. */
const MOST = 500;

/**
 * A list in the browser's storage, with the functions that change it and the item on the server. `list` is a
 * signal; `read` also has entries that other tabs added.
 * @param {string} key of the browser's storage
 */
export function ownList(key, path = `/${key}`) {
  const read = () => readList(key);
  const list = signal(read());
  const write = (/** @type {Own[]} */ all) => {
    const kept = all.slice(-MOST);
    writeStored(key, JSON.stringify(kept.map(({ id, token, title, day }) => [id, token, title, day])));
    list.value = kept;
  };
  /**
   * @param {Promise<{id: string, deletion_token: string}>} storing
   * @param {string} title
   */
  async function add(storing, title) {
    const { id, deletion_token: token } = await storing;
    const made = { id, token, title, day: new Date().toISOString().slice(0, 10) };
    write([...read().filter((each) => each.id !== id), made]);
    return made;
  }
  /**
   * @param {Own} made
   * @param {Partial<Heading> | Partial<Lecture>} news
   */
  async function change({ id, token, title }, news) {
    await changeOwn(`${path}/${encodeURIComponent(id)}`, token, news);
    write(read().map((each) => (each.id === id ? { ...each, title: news.title ?? title } : each)));
  }
  /** @param {Pick<Own, "id" | "token">} made */
  async function remove({ id, token }) {
    await removeOwn(`${path}/${encodeURIComponent(id)}`, token);
    write(read().filter((each) => each.id !== id));
  }
  return { list, read, add, change, remove };
}

/**
 * The valid entries of a stored list. Entries of older versions have no title and no day.
 * @param {string} key
 * @returns {Own[]}
 */
function readList(key) {
  return listIn(readStored(key), isEntry).map(([id, token, title = "", day = ""]) => ({
    id,
    token,
    title,
    day,
  }));
}

/**
 * @param {unknown} entry
 * @returns {entry is [string, string, string?, string?]}
 */
function isEntry(entry) {
  return (
    Array.isArray(entry) &&
    entry.every((text) => typeof text === "string") &&
    entry.slice(0, 2).every((text = "") => /^[\w-]{1,100}$/.test(text)) &&
    entry.length >= 2
  );
}
