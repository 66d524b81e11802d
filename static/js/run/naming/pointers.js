/**
 * Owns recognizing memory addresses in printed output, and the Storage or Tensor at each address. Memory is
 * reused, so only objects that were alive when the number was printed are considered.
 * `app/narration/pointers.py` has the same rules. Pure.
 */

import { addTo } from "../grouped.js";
import { addressOf, firstByte } from "./addresses.js";
import { at, stopAtTick } from "../facts.js";
import { labelsAt, writtenAs } from "./naming.js";
import { perTrace } from "../per-run.js";
import { firstWhere, upTo } from "../sorted.js";

/** @import {Storage, Tensor} from "../trace.d.ts" */
/** @import {Index, Sentence} from "../types.d.ts" */

/** @import {Byte} from "./addresses.js" */
/**
 * @typedef {object} Pointer A printed number in a string
 * @property {number} from
 * @property {number} to
 * @property {number | null} tensor the tensor at the address, if it has a name
 * @property {number | null} storage with the byte; null: the address of a Python object
 * @property {Sentence} told
 */

/**
 * Matches a number that may be an address, in decimal or hexadecimal. Shorter numbers than seven digits
 * (five after `0x`) are not taken for addresses.
 */
const NUMBER = /(?<![\w.-])(?:0[xX][0-9a-fA-F]{5,14}|[0-9a-fA-F]{7,15})(?![\w-]|\.\d)/g;
/**
 * The smallest decimal number that is taken for the address of any byte of a storage, because a smaller
 * number may be a count. A hexadecimal number is always taken for an address.
 */
const SURE = 2 ** 32;
/**
 * The maximum numbers of storages searched for an address, of tensors searched in a storage, and of names
 * listed for an address.
 */
const MOST = { begins: 64, tensors: 1000, names: 4 };

/**
 * Finds the numbers in a text that are addresses of storages or tensors alive at a tick.
 * @param {Index} index
 * @param {string} text
 * @param {number} tick
 * @returns {Pointer[]}
 */
export function pointersIn(index, text, tick) {
  return [...text.matchAll(NUMBER)].flatMap((match) => {
    const found = pointerOf(index, match[0], tick);
    return found === null ? [] : [{ from: match.index, to: match.index + match[0].length, ...found }];
  });
}

/**
 * @param {Index} index
 * @param {string} number
 * @param {number} tick
 * @returns {Omit<Pointer, "from" | "to"> | null}
 */
function pointerOf(index, number, tick) {
  const isHex = /^0x/i.test(number);
  const address = isHex || /^\d+$/.test(number) ? Number(number) : Number(`0x${number}`);
  // Arguments of a call are bound only at its first stop.
  const until = index.stops[stopAtTick(index, tick)]?.tick ?? tick;
  const ticks = [tick, until];
  const found = byteAt(index, address, tick) ?? byteAt(index, address, until);
  if (found === null) return objectAt(index, number, address, ticks);
  const { storage, byte } = found;
  const named = namedAt(index, found, ticks);
  if (named.size === 0 && byte !== 0 && address < SURE && !isHex) return null;
  const args = { number, storage: `S${storage}`, byte };
  const names = [...named.keys()];
  /** @type {Sentence[]} */
  const called = names
    .slice(0, MOST.names)
    .map((text) => ({ id: "phrase-code", args: { text: writtenAs((path) => `${path}.data_ptr()`, text) } }));
  if (names.length > MOST.names)
    called.push({ id: "phrase-more", args: { count: names.length - MOST.names } });
  return {
    tensor: named.values().next().value ?? null,
    storage,
    told:
      names.length === 0
        ? { id: "story-pointer-byte", args }
        : { id: "story-pointer", args: { ...args, names: called } },
  };
}

/**
 * @param {Index} index
 * @param {string} number
 * @param {number} address
 * @param {number[]} ticks
 * @returns {Omit<Pointer, "from" | "to"> | null}
 */
function objectAt(index, number, address, ticks) {
  const tensors = addressesOf(index).objects.get(address) ?? [];
  for (const tick of ticks) {
    const tensor = tensors[bornBy(tensors, tick) - 1];
    if (tensor === undefined || !isAlive(tensor.died, tick)) continue;
    const label = labelAt(index, ticks, tensor.id);
    if (label === undefined) return null;
    const name = writtenAs((path) => `id(${path})`, label.text);
    return { tensor: tensor.id, storage: null, told: { id: "story-pointer-id", args: { number, name } } };
  }
  return null;
}

/**
 * The storage that contains an address at a tick, and the byte offset in it; null if no live storage does.
 * @param {Index} index
 * @param {number} address
 * @param {number} tick
 * @returns {Byte | null}
 */
function byteAt(index, address, tick) {
  const { begins, storages } = addressesOf(index);
  const near = upTo(begins, address);
  for (const begin of begins.slice(Math.max(0, near - MOST.begins), near).reverse()) {
    const there = storages.get(begin) ?? [];
    const born = bornBy(there, tick);
    for (const storage of there.slice(Math.max(0, born - MOST.begins), born).reverse())
      if (
        addressOf(index, storage.id, tick) === begin &&
        address - begin < (at(storage.nbytes, tick) ?? 0) &&
        isAlive(storage.freed, tick)
      )
        return { storage: storage.id, byte: address - begin };
  }
  return null;
}

/**
 * The named tensors whose first element is at a byte of a storage at one of the given ticks, by name.
 * @param {Index} index
 * @param {Byte} where
 * @param {number[]} ticks
 */
function namedAt(index, { storage, byte }, ticks) {
  /** @type {Map<string, number>} */
  const named = new Map();
  for (const { id, died } of index.lookups.tensors_in()(storage).slice(0, MOST.tensors)) {
    const isThere = (/** @type {number} */ tick) => {
      const first = isAlive(died, tick) ? firstByte(index, id, tick) : null;
      return first?.storage === storage && first.byte === byte;
    };
    const label = ticks.some(isThere) ? labelAt(index, ticks, id) : undefined;
    if (label !== undefined && !named.has(label.text)) named.set(label.text, id);
  }
  return named;
}

/**
 * The plainest name of a tensor at the first given tick; without a name then, at the next given tick.
 * @param {Index} index
 * @param {number[]} ticks
 * @param {number} id
 */
function labelAt(index, ticks, id) {
  return ticks.map((tick) => labelsAt(index, tick, id)[0]).find((label) => label !== undefined);
}

/** Whether the snippet ever prints an address of an object that is alive. */
export const printsPointers = perTrace((/** @type {Index} */ index) =>
  index.outputs.some(
    ({ stream, text, tick }) => stream !== "warning" && pointersIn(index, text, tick).length > 0,
  ),
);

/**
 * The storages at each address and the tensors whose Python object is at each address, in order of creation.
 */
const addressesOf = perTrace((/** @type {Index} */ index) => {
  /** @type {Map<number, Storage[]>} */
  const storages = new Map();
  for (const storage of index.storages)
    for (const address of new Set([storage.address, ...(storage.moved ?? []).map(([, moved]) => moved)]))
      addTo(storages, Number(address), storage);
  /** @type {Map<number, Tensor[]>} */
  const objects = new Map();
  for (const tensor of index.tensors)
    if (tensor.address != null) addTo(objects, Number(tensor.address), tensor);
  storages.delete(0);
  return { storages, objects, begins: [...storages.keys()].sort((a, b) => a - b) };
});

/**
 * How many of the given records, which are sorted by creation, exist at or before a tick.
 * @param {{born: number}[]} records
 * @param {number} tick
 */
function bornBy(records, tick) {
  return firstWhere(records.length, (place) => (records[place]?.born ?? 0) > tick);
}

/**
 * @param {number | null | undefined} gone
 * @param {number} tick
 */
function isAlive(gone, tick) {
  return gone == null || gone > tick;
}
