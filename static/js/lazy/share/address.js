/** Owns where others reach this server, as it says itself. */

import { signal } from "../../../vendor/ui.js";
import { publicAddress } from "../../io/api.js";

/** @typedef {{address: string | null, nearby: string[], listens: boolean, embeds: boolean}} Told */

/** @type {import("../../../vendor/ui.js").Signal<Told | null>} */
export const serverAddress = signal(null);

publicAddress().then(
  (told) => (serverAddress.value = told),
  () => undefined, // then links have the address of the page
);
