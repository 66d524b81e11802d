/** The entry point of the chunk for "Why?". The page loads it with the first question. */

export { askedAt, following } from "../../run/stops/why-address.js";
export { answerOf } from "./answer.js";
export { Chain } from "./chain.js";
