/** Owns the flag for where the player runs: on a server's page, or in a standalone file. */

/**
 * Whether the player runs in a standalone file. In the file's script, the bundler replaces this value by
 * `true`.
 */
export const isFile = /** @type {boolean} */ (false);
