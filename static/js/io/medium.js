/** Owns where the player runs: on a server's page, or in a standalone file without a server. */

/** The bundler puts `true` in its place in the script of the file. */
export const isFile = /** @type {boolean} */ (false);
