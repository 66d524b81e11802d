/** Entry of the export chunk: the dialog that makes files of what the page shows. */

import { loadStylesheet } from "../../io/stylesheets.js";

await loadStylesheet(new URL("../../../css/export.css", import.meta.url));
export { Exporting } from "./exporting.js";
