/** Owns the path that all addresses of the API begin with. */

export const API = "/api/v1";
