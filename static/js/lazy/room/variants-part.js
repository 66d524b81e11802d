/**
 * Loads the chunk for variants when a room collects variants of its snippet, or when the teacher opens the
 * list of variants.
 */

import { signal } from "../../../vendor/ui.js";

/** @import {ReadonlySignal, Signal} from "../../../vendor/ui.js" */
/** @import {Room} from "./room.js" */
/** @import {VariantsPart} from "./variants/index.js" */

/**
 * The chunk for variants; null until it is loaded.
 * @type {Signal<VariantsPart | null>}
 */
export const variantsPart = signal(null);
/** @type {Promise<VariantsPart> | null} */
let loading = null;

/**
 * Loads the chunk for variants, once. After a failure, the next call loads it again.
 * @param {ReadonlySignal<Room | null>} room
 */
export function loadVariants(room) {
  loading ??= import("./variants/index.js").then(({ begin }) => begin(room));
  loading.then(
    (part) => (variantsPart.value = part),
    () => (loading = null),
  );
  return loading;
}
