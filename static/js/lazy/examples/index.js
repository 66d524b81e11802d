/** The entry point of the chunk for the menu of examples and recent programs. */

import { loadStylesheet } from "../../io/stylesheets.js";

await loadStylesheet(new URL("../../../css/examples.css", import.meta.url));

export { Menu } from "./menu.js";
