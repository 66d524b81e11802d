/** The entry point of the chunk with the panes that show a run. The page loads it before the first run. */

export { keepWithRun } from "./keeping.js";
export { hideChosen, pinChosen } from "../../panes/pictures/pin-buttons.js";
export { SummaryStatus, WrongPart } from "../../panes/story/summary.js";
export { StoryPane } from "../../panes/story/story.js";
export { askWhy } from "../../panes/story/why.js";
export { Timeline } from "../../panes/timeline/timeline.js";
export { RightPanes } from "./right-panes.js";
export { spoken } from "./spoken.js";
export { keepProgram } from "../../session/recent-programs.js";
