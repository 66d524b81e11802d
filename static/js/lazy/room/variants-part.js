/** Owns the loading of the part for variants, when a room collects some or the teacher wants to. */

import { signal } from "../../../vendor/ui.js";

/** @import {ReadonlySignal, Signal} from "../../../vendor/ui.js" */
/** @import {Room} from "./room.js" */
/** @import {VariantsPart} from "./variants/index.js" */

/**
 * Once it is there.
 * @type {Signal<VariantsPart | null>}
 */
export const variantsPart = signal(null);
/** @type {Promise<VariantsPart> | null} */
let loading = null;

/**
 * Load it once; after a failure the next call tries again.
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
