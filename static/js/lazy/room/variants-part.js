/**
 * Owns the loading of the chunk for variants, when a room collects variants or the teacher wants to collect
 * them.
 */

import { signal } from "../../../vendor/ui.js";

/** @import {ReadonlySignal, Signal} from "../../../vendor/ui.js" */
/** @import {Room} from "./room.js" */
/** @import {VariantsPart} from "./variants/index.js" */

/**
 * The chunk; null until it is loaded.
 * @type {Signal<VariantsPart | null>}
 */
export const variantsPart = signal(null);
/** @type {Promise<VariantsPart> | null} */
let loading = null;

/**
 * Loads the chunk once. After a failure, the next call tries again.
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
