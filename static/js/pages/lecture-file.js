/** Owns the start of a lecture in a file of its own, where its recordings lie, too: it asks no server. */

import "./theme.js";
import { provideChunks } from "../panes/chunks.js";
import { showLecture } from "./reading.js";

provideChunks({
  help: () => import("../lazy/help/index.js"),
  textView: () => import("../lazy/text-view/index.js"),
  finding: () => import("../lazy/finding/index.js"),
  question: () => import("../lazy/question/index.js"),
  view: () => import("../lazy/view/index.js"),
});

void showLecture();
