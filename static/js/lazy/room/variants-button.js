/**
 * Connects a room with the variants of its snippet that students run: the teacher's button, the keyboard
 * shortcut, and the elements that show variants.
 */

import { h } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { ApiError } from "../../io/api.js";
import { say } from "../../state/words.js";
import { toast } from "../../state/store.js";
import { room } from "./room.js";
import { loadVariants, variantsPart } from "./variants-part.js";

/** @import {VariantsPart} from "./variants/index.js" */

/** @param {(part: VariantsPart) => unknown} what */
async function withPart(what) {
  try {
    await what(await loadVariants(room));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    toast.value = { text: say("error-page") };
  }
}

const openWall = () => withPart((part) => part.openWall());

/** The button in the teacher's bar that opens the list of variants. */
export function VariantsButton() {
  return button({ title: `${say("key-variants")} (Shift+v)`, onClick: openWall }, say("variants-button"));
}

/** The number of variants, shown in the bar of the projected window while their outcomes are hidden. */
export function VariantsHidden() {
  const part = variantsPart.value;
  return part === null ? null : h(part.HiddenCount, null);
}

/**
 * The element about variants for the page's role: the teacher's wall, the dialog in the projected window, or
 * the line above a student's bar.
 */
export function Variants() {
  const [part, role] = [variantsPart.value, room.value?.role];
  if (part === null || role === undefined) return null;
  return h({ teacher: part.Wall, projector: part.Screen, member: part.Strip }[role], null);
}

/** @type {Record<string, {keys: string[], roles: string[], act: () => unknown}>} */
export const VARIANTS_KEYS = {
  "key-variants": { keys: ["V"], roles: ["teacher"], act: openWall },
  "key-variants-run": { keys: ["V"], roles: ["member"], act: () => variantsPart.peek()?.writeForClass() },
  "key-variants-hide": {
    keys: ["z"],
    roles: ["teacher", "projector"],
    act: () => variantsPart.peek()?.turnHidden(),
  },
};
