/** Owns the access to variants from a room: the teacher's button, the keys, and where variants are shown. */

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

/** The button in the teacher's bar. */
export function VariantsButton() {
  return button({ title: `${say("key-variants")} (Shift+v)`, onClick: openWall }, say("variants-button"));
}

/** The count of hidden variants, in the bar of the projected window. */
export function VariantsHidden() {
  const part = variantsPart.value;
  return part === null ? null : h(part.HiddenCount, null);
}

/** The part about variants for the role of this page: over the page, or above its bar. */
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
