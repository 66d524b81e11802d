/**
 * Owns the memory addresses of storages, tensors and their Python objects, as `data_ptr()` and `id()` return
 * them. Pure.
 */

import { at } from "../facts.js";
import { itemsize } from "../values/format.js";

/** @import {Index, Message} from "../types.d.ts" */

/** @typedef {{storage: number, byte: number}} Byte of a storage, from 0 */

/**
 * The storage and the byte offset of a tensor's first element; null for a tensor without strides or
 * elements, because torch returns no address for it.
 * @param {Index} index
 * @param {number} id
 * @param {number} tick
 * @returns {Byte | null}
 */
export function firstByte(index, id, tick) {
  const geometry = at(index.tensors[id]?.geometry, tick);
  if (geometry === undefined || geometry.storage === null || geometry.shape.includes(0)) return null;
  if (geometry.stride === null || geometry.storage_offset === null) return null;
  return { storage: geometry.storage, byte: geometry.storage_offset * itemsize(geometry.dtype) };
}

/**
 * The address of a storage's first byte; null if the storage has no memory, for example the storage of a
 * meta tensor.
 * @param {Index} index
 * @param {number} id
 * @param {number} tick
 */
export function addressOf(index, id, tick) {
  const storage = index.storages[id];
  return Number(at(storage?.moved, tick) ?? storage?.address ?? 0) || null;
}

/**
 * The addresses of a tensor's first element and of its Python object, as messages.
 * @param {Index} index
 * @param {number} id
 * @param {number} tick
 * @returns {Message[]}
 */
export function tensorPointers(index, id, tick) {
  const first = firstByte(index, id, tick);
  const begin = first === null ? null : addressOf(index, first.storage, tick);
  const object = index.tensors[id]?.address;
  /** @type {Message[]} */
  const told = [];
  if (first !== null && begin !== null)
    told.push({
      id: "pointer-tensor",
      args: { ...written(begin + first.byte), storage: `S${first.storage}`, byte: first.byte },
    });
  if (object != null) told.push({ id: "pointer-object", args: written(Number(object)) });
  return told;
}

/**
 * The addresses of a tensor's first element and of its Python object, each as a line such as `data_ptr()
 * 140… (0x7f…), S3 + 8`.
 * @param {Index} index
 * @param {number} id
 * @param {number} tick
 */
export function pointersOf(index, id, tick) {
  return tensorPointers(index, id, tick).map(({ id: which, args: { hex, address, storage, byte } }) =>
    which === "pointer-object"
      ? `id() ${address} (${hex})`
      : `data_ptr() ${address} (${hex}), ${storage} + ${byte}`,
  );
}

/**
 * @param {Index} index
 * @param {number} id
 * @param {number} tick
 * @returns {Message[]}
 */
export function storagePointer(index, id, tick) {
  const address = addressOf(index, id, tick);
  const bytes = at(index.storages[id]?.nbytes, tick) ?? 0;
  const args = address === null ? null : { ...written(address), storage: `S${id}`, bytes };
  return args === null ? [] : [{ id: "pointer-storage", args }];
}

/**
 * An address in decimal, as `print` writes it, and in hexadecimal, as `hex` writes it.
 * @param {number} address
 */
function written(address) {
  return { address: String(address), hex: `0x${address.toString(16)}` };
}
