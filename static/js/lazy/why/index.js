/** The entry of the "Why?" chunk, which loads with the first question. */

export { askedAt, following } from "../../run/stops/why-address.js";
export { answerOf } from "./answer.js";
export { Chain } from "./chain.js";
