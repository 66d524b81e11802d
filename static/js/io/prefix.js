/** Owns where the API stands in every address of the server. */

export const API = "/api/v1";
