/** Owns the flag that says where the player runs: on a server's page, or in a standalone file. */

/** In the script of a standalone file, the bundler replaces this by `true`. */
export const isFile = /** @type {boolean} */ (false);
