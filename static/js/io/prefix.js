/** Owns the path with which all addresses of the server's API begin. */

export const API = "/api/v1";
