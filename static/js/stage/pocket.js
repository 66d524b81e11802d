/**
 * Draws a saved tensor in the box of its Node: the attribute's name, such as `self`, the tensor's name, its
 * storage, and whether it is stale.
 */

import { sansWidth, monoWidth } from "../run/values/text-width.js";
import { linesOf, pocketChip, pocketLabel } from "../layout/union-graph.js";
import { fitted, lettered, lettersOf } from "./fitted.js";
import { warningSign } from "./shapes.js";
import { el } from "./svg.js";

/** @import {Index} from "../run/types.d.ts" */
/** @import {Letters} from "./fitted.js" */
/** @import {Scene} from "./graph-picture.js" */
/** @import {Shape} from "./svg.js" */

/** In px: the padding of text, the radius of corners, and sizes of text. */
const POCKET = { left: 9, right: 3, fold: 13, name: 13, state: 12.5 };
/** The sign of a stale saved tensor, and its width in px. */
const SIGN = { size: 13, width: 17 };
/** Maximum lengths so large that no name is shortened. */
const WHOLE = { slot: 1000, name: 1000 };

/**
 * @param {{id: number, x: number, y: number, width: number}} at
 * @param {Index["saved_tensors"][number]} saved
 * @param {Scene} scene
 * @returns {Shape}
 */
export function pocketShape({ id, x, y, width }, saved, scene) {
  const look = scene.state.saved.get(id) ?? "current";
  const { height, first, apart } = linesOf(scene.layout.measures).pocket;
  const { fold } = POCKET;
  const outline = `M${x},${y} h${width - fold} l${fold},${fold} v${height - fold} h${-width} Z`;
  const isStale = look === "stale" || look === "stale-freed";
  const room = width - POCKET.left - POCKET.right;
  const label = labelIn(room, saved, scene);
  const whole = pocketLabel(scene.index, saved, scene.state, WHOLE);
  return el(
    "g",
    { key: `p${id}`, class: `pocket ${look}`, "data-saved": id, "data-look": look },
    label.text !== whole && el("title", {}, whole),
    el("path", { class: "pocket-fill", d: outline }),
    isStale && el("path", { class: "pocket-hatch", d: outline }),
    el("path", { class: "pocket-line", d: outline }),
    el("path", { class: "pocket-line", d: `M${x + width - fold},${y} v${fold} h${fold}` }),
    lettered({ class: "pocket-name", x: x + POCKET.left, y: y + first }, label),
    isStale
      ? staleLine({ x: x + POCKET.left, y: y + first + apart, room }, wordsOf(look, saved, scene), scene)
      : lettered(
          { class: "pocket-state", x: x + POCKET.left, y: y + first + apart },
          fitted(stateText(look, pocketChip(saved), scene), { size: POCKET.state, room }, lettersOf(scene)),
        ),
  );
}

/**
 * @param {number} room
 * @param {Index["saved_tensors"][number]} saved
 * @param {Scene} scene
 */
function labelIn(room, saved, scene) {
  const { index, state } = scene;
  return fitted(pocketLabel(index, saved, state), { size: POCKET.name, room }, lettersOf(scene), (most) => {
    const slot = Math.min(saved.name.length, Math.max(4, Math.floor(most / 3)));
    return pocketLabel(index, saved, state, { slot, name: Math.max(2, most - slot - 3) });
  });
}

/** @param {Scene} scene */
function isTerse({ isSmall, layout }) {
  return isSmall || layout.measures.compact;
}

/**
 * @param {string} look
 * @param {string} chip
 * @param {Scene} scene
 */
function stateText(look, chip, scene) {
  const { say } = scene;
  if (look === "freed") return say("saved-freed");
  const isHidden = look !== "current";
  if (isTerse(scene)) return `${chip} ${isHidden ? "?" : "✓"}`;
  return `${chip} ${isHidden ? `? ${say("saved-hidden")}` : `✓ ${say("saved-current")}`}`;
}

/**
 * The alternative texts that say that a saved tensor is stale, longest first. If the tensor is freed, they
 * do not mention its storage.
 * @param {string} look
 * @param {Index["saved_tensors"][number]} saved
 * @param {Scene} scene
 * @returns {{chip: string, word: string}[]}
 */
function wordsOf(look, saved, { say }) {
  const word = say("saved-stale");
  if (look === "stale-freed")
    return [
      { chip: "", word: say("saved-stale-freed") },
      { chip: "", word },
    ];
  const chip = pocketChip(saved);
  return [chip, chip.split("·")[0] ?? "", ""].map((chip) => ({ chip, word }));
}

/**
 * The line that says that a saved tensor is stale: its storage, a sign, and the word "stale", as far as they
 * fit. The word "stale" is always shown.
 * @param {{x: number, y: number, room: number}} at
 * @param {{chip: string, word: string}[]} texts
 * @param {Scene} scene
 */
function staleLine({ x, y, room }, texts, scene) {
  const letters = lettersOf(scene);
  const wanted = Math.max(POCKET.state, letters.least);
  const sizes = letters.isFixed ? [wanted] : [wanted, Math.min(wanted, 13)];
  const signs = isTerse(scene) ? [0] : [SIGN.width, 0];
  const ways = sizes.flatMap((size) =>
    texts.flatMap((text) =>
      signs.map((sign) => ({ ...text, sign, size, before: beforeWord(text.chip, size) })),
    ),
  );
  const { sign, size, before, ...way } =
    ways.find(({ word, size, sign, before }) => before + sign + sansWidth(word, size, true) <= room) ??
    /** @type {typeof ways[number]} */ (ways.at(-1));
  return [
    lettered({ key: "state", class: "pocket-state", x, y }, { text: way.chip, size }),
    sign > 0 && warningSign(x + before, y - 11, SIGN.size),
    lettered({ key: "word", class: "pocket-word", x: x + before + sign, y }, { text: way.word, size }),
  ];
}

/**
 * @param {string} chip
 * @param {number} size
 */
function beforeWord(chip, size) {
  return chip === "" ? 0 : monoWidth(`${chip} `, size);
}
