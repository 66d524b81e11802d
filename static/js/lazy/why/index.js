/** Entry of the chunk of "Why?": it loads with the first such question. */

export { askedAt, following } from "../../run/stops/why-address.js";
export { answerOf } from "./answer.js";
export { Chain } from "./chain.js";
