/**
 * Owns the texts of values, shapes, dtypes and byte counts, which look as torch prints them, and the
 * shortening of long texts.
 */

import { columnsOf, isLatin } from "./text-width.js";

/** @import {Contents, Geometry, Output, Value} from "../trace.d.ts" */

/**
 * The text of one element. A float has a decimal point, as in torch: `1.`
 * @param {Value | null | undefined} value
 * @param {string} dtype
 * @returns {string}
 */
export function element(value, dtype) {
  if (value === null || value === undefined) return "–";
  if (Array.isArray(value)) return complex(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return value;
  return isFloating(dtype) ? float(value) : String(value);
}

/** @param {[number | string, number | string]} pair */
function complex([real, imaginary]) {
  const part = element(imaginary, "float");
  return `${element(real, "float")}${part.startsWith("-") ? "" : "+"}${part}j`;
}

/** @param {string} dtype */
export function isFloating(dtype) {
  return /float|complex/.test(dtype);
}

/** @param {number} value */
function float(value) {
  if (Object.is(value, -0)) return "-0.";
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return `${value}.`;
  const size = Math.abs(value);
  if (size >= 1e5 || (size < 1e-3 && size > 0)) return value.toExponential(2).replace("e+", "e");
  return String(Number(size < 1 ? value.toFixed(4) : value.toPrecision(5)));
}

const SHAPELESS = new Set(["nested", "opaque", "uninitialized"]);

/**
 * Whether torch reports a shape for a tensor of this layout without running code of the snippet.
 * @param {Geometry} geometry
 */
export function hasShape({ layout }) {
  return !SHAPELESS.has(layout);
}

/**
 * A dtype as torch abbreviates it: bf16, f8e4m3fn, c64.
 * @param {string} dtype
 */
export function shortDtype(dtype) {
  return dtype
    .replace("_", "")
    .replace("float", "f")
    .replace("complex", "c")
    .replace("int", "i")
    .replace("ui", "u");
}

/**
 * Sizes as Python writes a tuple: `(2, 1)`, `(1,)`.
 * @param {number[]} sizes
 */
export function tuple(sizes) {
  return sizes.length === 1 ? `(${sizes[0]},)` : `(${sizes.join(", ")})`;
}

/**
 * The shape as torch prints it, or "?" if torch reports no shape.
 * @param {Geometry} geometry
 */
export function shapeOf(geometry) {
  return hasShape(geometry) ? tuple(geometry.shape) : "?";
}

/** @param {number} count */
export function bytes(count) {
  if (count < 1024) return `${count} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let size = count / 1024;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${size >= 10 ? Math.round(size) : Math.round(size * 10) / 10} ${units[unit]}`;
}

/**
 * The text of a tensor: its values in brackets, `[[3.]]`, or its shape if the text would be too long.
 * @param {Contents} contents
 * @param {number[]} shape
 * @param {number} most maximum number of characters
 */
export function nested(contents, shape, most = 16) {
  if (contents.kind === "unknown" && shape.length === 0) return "?";
  if (contents.kind !== "cells") return tuple(shape);
  const count = shape.reduce((product, size) => product * size, 1);
  if (contents.values.length !== count || count > 64) return tuple(shape);
  const values = contents.values.map((value) => element(value, contents.dtype));
  const text = brackets(values, shape);
  return text.length <= most ? text : tuple(shape);
}

/**
 * Whether a text by `nested` consists of values instead of a shape.
 * @param {string} text
 */
export function isValue(text) {
  return !/^[(?]/.test(text);
}

/**
 * @param {string[]} values
 * @param {number[]} shape
 */
function brackets(values, shape) {
  let parts = values;
  for (const size of [...shape].reverse()) {
    const rows = [];
    for (let start = 0; start < parts.length; start += size)
      rows.push(`[${parts.slice(start, start + size).join(", ")}]`);
    parts = rows;
  }
  return parts.join(", ") || "[]";
}

/** @type {Record<string, number>} */
const ITEMSIZE = {
  bool: 1,
  uint8: 1,
  int8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  int64: 8,
  uint64: 8,
  float16: 2,
  bfloat16: 2,
  float32: 4,
  float64: 8,
  complex32: 4,
  bcomplex32: 4,
  complex64: 8,
  complex128: 16,
};

/**
 * The size of one element in bytes; 1 for dtypes that are not in the table (8-bit floats and newer dtypes).
 * @param {string} dtype
 */
export function itemsize(dtype) {
  return ITEMSIZE[dtype] ?? 1;
}

/**
 * The positions of a tensor's elements in its storage, in ascending order, at most `most` of them.
 * @param {Geometry} geometry
 * @param {number} most
 * @returns {number[]}
 */
export function covered({ shape, stride, storage_offset }, most = 4096) {
  if (stride === null || storage_offset === null || shape.some((size) => size === 0)) return [];
  const positions = new Set([storage_offset]);
  for (const [dimension, size] of shape.entries()) {
    const step = stride[dimension] ?? 0;
    // Each pass doubles the number of copies along the dimension, so few passes are needed even if the
    // copies overlap.
    for (
      let count = 1;
      step !== 0 && count < size && positions.size < most;
      count += Math.min(count, size - count)
    )
      for (const position of [...positions])
        if (positions.size < most) positions.add(position + Math.min(count, size - count) * step);
  }
  return [...positions].sort((a, b) => a - b);
}

/**
 * The cells of a storage if they are the values of a tensor unchanged: with the same dtype, and neither
 * negated nor conjugated. Otherwise undefined.
 * @param {Geometry} geometry
 * @param {Contents | null | undefined} contents
 */
export function cellsRead({ dtype, is_neg, is_conj }, contents) {
  return contents?.kind === "cells" && contents.dtype === dtype && !is_neg && !is_conj ? contents : undefined;
}

/**
 * The value of a tensor with one element; undefined for other tensors.
 * @param {Geometry | null} geometry
 * @param {Contents | null | undefined} contents
 */
export function single(geometry, contents) {
  const read = geometry === null ? undefined : cellsRead(geometry, contents);
  if (geometry === null || read === undefined) return undefined;
  const cells = covered(geometry, 2);
  if (cells.length !== 1) return undefined;
  return element(read.values[cells[0] ?? -1], read.dtype);
}

/**
 * The name of a Node without its C++ namespace.
 * @param {string} name
 */
export function shortName(name) {
  return clip(name.slice(name.lastIndexOf("::") + 1).replace(/^:/, ""), 40);
}

/**
 * Shortens a string in the middle, where paths differ least, to the width of `most` Latin characters.
 * Characters that are not Latin count as two.
 * @param {string} text
 * @param {number} most
 */
export function clip(text, most) {
  if (text.length * 2 <= most || (text.length <= most && isLatin(text))) return text;
  const characters = [...text];
  /** @type {number[]} */
  const widths = characters.map(columnsOf);
  if (widths.reduce((sum, width) => sum + width, 0) <= most) return text;
  const head = fill(widths, Math.ceil((most - 1) / 3));
  const tail = fill(
    [...widths].reverse(),
    most - 1 - widths.slice(0, head).reduce((sum, width) => sum + width, 0),
  );
  return `${characters.slice(0, head).join("")}…${tail === 0 ? "" : characters.slice(-tail).join("")}`;
}

/**
 * Shortens a name to `most` characters. The path keeps its end, `…3.qkv.weight`, and a function after the
 * path (`x · f`) is shortened, too.
 * @param {string} text
 * @param {number} most
 */
export function clipName(text, most) {
  if (clip(text, most) === text) return text;
  const [path = "", ...functions] = text.split(" · ");
  if (functions.length === 0) return clipPath(path, most);
  const room = most - 3;
  const name = functions.join(" · ");
  const rest = Math.max(Math.min(name.length, room - path.length), Math.floor(room / 3));
  return `${clipPath(path, room - rest)} · ${clip(name, rest)}`;
}

/**
 * The last part of a path with its separator: `.weight` of `net.fc.weight`. A path of one part is returned
 * unchanged.
 * @param {string} path
 */
export function lastOf(path) {
  return path.slice(Math.max(path.lastIndexOf("."), path.lastIndexOf("["), 0));
}

/**
 * Cuts the beginning off a path, at the beginning of one of its parts if possible, because all paths of a
 * model begin alike.
 * @param {string} path
 * @param {number} most
 */
function clipPath(path, most) {
  if (path.length <= most || !isLatin(path) || lastOf(path) === path) return clip(path, most);
  const room = path.slice(1 - most);
  const begin = path.at(-most) === "." ? 0 : room.search(/[.[]/);
  if (begin < 0 || begin > room.length / 2) return `…${room}`;
  return `…${room.slice(room[begin] === "." ? begin + 1 : begin)}`;
}

/**
 * How many of the first characters fit into a width.
 * @param {number[]} widths
 * @param {number} room
 */
function fill(widths, room) {
  let left = room;
  const end = widths.findIndex((width) => {
    left -= width;
    return left < 0;
  });
  return end < 0 ? widths.length : end;
}

/**
 * Whether native code (C++) wrote the output, so that the recording does not know when
 * (`app/trace/FORMAT.md`).
 * @param {Output} output
 */
export function isNative({ stream, category }) {
  return stream !== "warning" && category === "native";
}
