import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";

import { PackedError, packed, unpacked } from "../../static/js/io/packed-source.js";

const MOST = 1 << 18;
const has = (() => {
  try {
    return new DecompressionStream("deflate-raw") !== null;
  } catch {
    return false; // Node 18 does not support this format
  }
})();
const withPacking = { skip: has ? false : "this Node lacks deflate-raw" };

/** A generator of random integers below `most`. Equal seeds give equal sequences. */
function chance(seed) {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

const ALPHABETS = [
  "abc =()\n\t#'\"",
  "\u0001\u007f\u200b\u202e\u2066\ufeff\u00ad",
  "中文张量🙂👨‍👩‍👧é\u0301",
  "<script>&amp;</textarea>`{$x}",
];

/** A random text, most of whose letters come from one alphabet. */
function someText(number) {
  const next = chance(number);
  const length = next(4) === 0 ? next(20_000) : next(60);
  const letters = [...(ALPHABETS[next(ALPHABETS.length)] ?? "")];
  let text = "x";
  while (text.length < length)
    text += next(30) === 0 ? String.fromCodePoint(1 + next(0xd000)) : letters[next(letters.length)];
  return text.replaceAll(/\r\n?/g, "\n");
}

const refused = (code, reason, most = MOST) =>
  assert.rejects(unpacked(code, most), (error) => error instanceof PackedError && error.reason === reason);
const codeOf = (bytes) => deflateRawSync(Buffer.from(bytes)).toString("base64url");

test("any source can be packed into an address and unpacked again", withPacking, async () => {
  for (let number = 0; number < 400; number += 1) {
    const text = someText(number);
    const code = await packed(text);
    assert.match(code, /^[\w-]+$/);
    assert.equal(await unpacked(code, MOST), text, `seed ${number}`);
  }
});

test("a source that another program packed is read, with any line ends", withPacking, async () => {
  assert.equal(
    await unpacked(codeOf("import torch\r\nx = 1\ry = 2\n"), MOST),
    "import torch\nx = 1\ny = 2\n",
  );
  assert.equal(await unpacked(await packed("a\r\nb\r"), MOST), "a\nb\n");
});

test("a source of the maximum length is accepted, and one more byte is refused", withPacking, async () => {
  const most = "é".repeat(500);
  assert.equal(await unpacked(await packed(most), 1000), most);
  await refused(await packed(`${most}x`), "large", 1000);
});

test("a decompression bomb is not unpacked completely", withPacking, async () => {
  const bomb = deflateRawSync(Buffer.alloc(200 << 20, "x"), { level: 9 }).toString("base64url");
  assert.ok(bomb.length > 200_000 && bomb.length < 2 * MOST, `${bomb.length} characters`);
  let made = 0;
  const { DecompressionStream: Plain } = globalThis;
  globalThis.DecompressionStream = class {
    constructor(format) {
      const plain = new Plain(format);
      const counting = new TransformStream({
        transform(piece, controller) {
          made += piece.length;
          controller.enqueue(piece);
        },
      });
      this.writable = plain.writable;
      this.readable = plain.readable.pipeThrough(counting);
    }
  };
  try {
    await refused(bomb, "large");
  } finally {
    globalThis.DecompressionStream = Plain;
  }
  assert.ok(made > MOST && made < 5 * MOST, `${made} bytes were unpacked`);
  await refused("A".repeat(2 * MOST + 1), "large");
});

test("a text that is not a packed source is refused with its reason", withPacking, async () => {
  const code = await packed("import torch\nx = torch.ones(3)\nprint(x)\n");
  for (const broken of ["", "!", "<script>", "a b", "%00", "A", "AAAAA", "_____", `${code}=`, "тест"])
    await refused(broken, "broken");
  for (let length = 1; length < code.length - 1; length += 1) {
    const cut = unpacked(code.slice(0, length), MOST);
    await assert.rejects(cut, PackedError, `cut to ${length}`);
  }
  await refused(codeOf([0x78, 0xff, 0xfe]), "not-text");
  await refused(codeOf([0x78, 0xe4, 0xb8]), "not-text"); // ends with an incomplete UTF-8 character
  await refused(codeOf([0xed, 0xa0, 0x80]), "not-text"); // half a surrogate pair
  await refused(codeOf("x = 1\0"), "nul");
  await refused(codeOf(" \n"), "empty");
});

test("a browser that cannot unpack is reported with its own reason", async () => {
  const { CompressionStream: packing, DecompressionStream: unpacking } = globalThis;
  for (const absent of [
    undefined,
    class {
      constructor() {
        throw new TypeError("no such format");
      }
    },
  ]) {
    Object.assign(globalThis, { CompressionStream: absent, DecompressionStream: absent });
    try {
      await refused("AAAA", "unsupported");
      await assert.rejects(
        packed("x"),
        (error) => error instanceof PackedError && error.reason === "unsupported",
      );
    } finally {
      Object.assign(globalThis, { CompressionStream: packing, DecompressionStream: unpacking });
    }
  }
});
