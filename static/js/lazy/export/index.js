/** The entry point of the chunk for exports: the dialog that saves the shown pictures as files. */

import { loadStylesheet } from "../../io/stylesheets.js";

await loadStylesheet(new URL("../../../css/export.css", import.meta.url));
export { Exporting } from "./exporting.js";
