/** Starts a lecture in a standalone file, which contains its recordings and needs no server. */

import "./theme.js";
import { provideChunks } from "../panes/chunks.js";
import { showLecture } from "./reading.js";

provideChunks({
  help: () => import("../lazy/help/index.js"),
  why: () => import("../lazy/why/index.js"),
  textView: () => import("../lazy/text-view/index.js"),
  traceback: () => import("../lazy/traceback/index.js"),
  finding: () => import("../lazy/finding/index.js"),
  question: () => import("../lazy/question/index.js"),
  view: () => import("../lazy/view/index.js"),
});

void showLecture();
