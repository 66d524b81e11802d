/** Owns the address at which other devices reach this server, as the server reports it. */

import { signal } from "../../../vendor/ui.js";
import { publicAddress } from "../../io/api.js";

/** @typedef {{address: string | null, nearby: string[], listens: boolean, embeds: boolean}} ServerAddress */

/** @type {import("../../../vendor/ui.js").Signal<ServerAddress | null>} */
export const serverAddress = signal(null);

publicAddress().then(
  (told) => (serverAddress.value = told),
  () => undefined, // without an answer, links begin with the page's own origin
);
