/** Owns where the player is: on a server's page, or in a file of its own, which has no server to ask. */

/** The bundler puts `true` in its place in the script of the file. */
export const isFile = /** @type {boolean} */ (false);
