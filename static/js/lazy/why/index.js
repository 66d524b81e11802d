/** Entry of the chunk of "Why?": it loads with the first such question. */

export { whyOf } from "../../words/why/why.js";
export { Chain } from "./chain.js";
