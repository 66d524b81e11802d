/**
 * Loads chunks on demand. Each chunk is a folder of `lazy/`. The functions that load them come from
 * `pages/player.js`, so that this module imports nothing from higher layers.
 */

/** @import {ComponentChildren, ComponentType} from "../../vendor/ui.js" */
/** @import {EditorView, Extension} from "../../vendor/codemirror.js" */
/** @import {Peek} from "./code/code-pointer.js" */
/** @import {Answer, Posed} from "../run/questions/asked.d.ts" */
/** @import {Finding, Raised} from "../run/trace.d.ts" */
/**
 * @import {Box, Chain, FoldedStorages, GraphBox, GraphLayout, Index, MemoryLayout, MemoryRow, Sentence,
 *   Sides, State} from "../run/types.d.ts"
 */
/** @import {Asked, Choice, Question} from "../run/stops/why-address.js" */
/** @import {Lesson} from "../io/boot.js" */
/** @import {Pins} from "../run/types.d.ts" */
/** @import {Signal} from "../../vendor/ui.js" */
/** @import {Lecture, ShownStep} from "../io/lectures.js" */
/** @import {Own} from "../session/own-list.js" */
/** @import {RunLayouts} from "../state/layouts.js" */
/** @import {Shape} from "../stage/svg.js" */
/** @import {Hop, Why} from "../words/why/why.js" */
/** @import {Requested} from "../session/address.js" */

/**
 * @typedef {object} HelpChunk
 * @property {ComponentType} Help
 * @property {ComponentType} About
 * @property {(id: string, word: HTMLElement) => void} openTerm shows the meaning of a term
 */
/** @typedef {{Legend: ComponentType, LegendEntries: ComponentType<{signs?: Set<string>}>}} LegendChunk */
/** @typedef {{key: string, isFresh: boolean, parts: Sentence[], children: Item[]}} Item of the text view */
/**
 * @typedef {{items: Item[], others: number, areStill: boolean}} Items the items, and the number of others;
 *   `areStill`: no other item changed in this step
 */
/** @typedef {(index: Index, graph: GraphLayout, state: State, box: GraphBox) => Item | null} BoxItem */
/** @typedef {(index: Index, state: State, row: MemoryRow, fold: FoldedStorages) => Item} FoldItem */
/**
 * @typedef {object} TextViewChunk
 * @property {(index: Index, graph: GraphLayout, state: State, isWhole: boolean) => Items} graphOutline
 * @property {(index: Index, memory: MemoryLayout, state: State, isWhole: boolean) => Items} memoryOutline
 * @property {BoxItem} boxItem
 * @property {FoldItem} foldItem
 */
/**
 * A program to compare. `index`: its run, if it has already been run; `snippet`: the id of its stored
 * snippet.
 * @typedef {{
 *   source: string,
 *   stand_in: boolean,
 *   title: Sentence | null,
 *   snippet: string | null,
 *   index: Index | null,
 * }} Compared
 */
/**
 * @typedef {object} CompareChunk
 * @property {ComponentType} Menu what the snippet can be compared with
 * @property {(finding: Finding, number: number) => void} compareFix compares the run with a fix of a finding
 * @property {(finding: Finding, number: number) => void} applyFix puts a fix of a finding into the editor
 * @property {(lesson: Lesson) => void} comparePrograms compares a lesson with its fixed version
 * @property {(names: string[], at: number | null) => Promise<boolean>} open opens the sides that an address
 *   names
 * @property {(both: Sides<Compared>, at: number | null) => Promise<void>} show at a step, or at the first
 *   difference
 */
/**
 * @typedef {object} FindingsProps
 * @property {Index} index
 * @property {State | null} now
 * @property {boolean} about whether to show the findings about this step, or the other known ones
 * @property {(k: number) => void} go to a stop
 * @property {boolean} [isBeside] in a comparison, where no fixes are offered
 */
/**
 * @typedef {object} FindingChunk
 * @property {ComponentType<FindingsProps>} Findings
 * @property {(index: Index, now: State) => boolean} isExplained whether the open card of a finding is about
 *   the step
 */
/** @typedef {(index: Index, now: State, line: number, column: number) => Peek | null} ValueAtPlace */
/**
 * @typedef {object} CodeChunk
 * @property {ValueAtPlace} valueAtPlace the value of the name at a place
 * @property {(index: Index, now: State, line: number) => Peek | null} valuesOnLine the values of all names on
 *   a line
 * @property {() => Beside} besideLines
 */
/**
 * @typedef {object} Beside
 * @property {(view: EditorView, index: Index | null, now: State | null) => ReadonlySet<number>} draw draws
 *   the values of the visible lines, and returns the lines that have values; without a run, there are none
 */
/** @typedef {{index: Index, now: State, ahead: State}} Around the states before and after the question */
/**
 * @typedef {object} AnswerProps
 * @property {Around} around
 * @property {Posed} asked
 * @property {string[] | null} [names] the choices if the answer is a name
 * @property {string} [hint] a message that replaces the default hint of the form
 * @property {(answer: Answer) => void} give
 * @property {ComponentChildren} [children]
 */
/**
 * @typedef {object} QuestionChunk
 * @property {ComponentType<{index: Index, k: number}>} AskedQuestion
 * @property {ComponentType<AnswerProps>} AnswerForm
 * @property {(around: Around, asked: Posed, names: string[] | null) => [string, string][] | null} optionsOf
 *   the options of a list: the typed form, and the label
 * @property {(around: Around, asked: Pick<Posed, "question">) => Sentence} wordingOf
 * @property {(around: Around, asked: Posed, answer: Answer) => Sentence} answerOf
 * @property {(index: Index, saved: number) => {node: string, saved: string}} slotOf
 */
/**
 * @typedef {object} PresenterChunk
 * @property {ComponentType} Beyond
 * @property {ComponentType} Dot
 * @property {ComponentType} Note
 * @property {ComponentType} LectureButton
 * @property {(source: string) => Record<string, string>} notesAbout the steps of a program
 */
/**
 * @typedef {object} RunChunk the panes of a run
 * @property {() => void} keepWithRun
 * @property {(source: string) => void} keepProgram among the recent ones
 * @property {() => void} hideChosen
 * @property {() => void} pinChosen
 * @property {() => void} askWhy
 * @property {ComponentType} SummaryStatus
 * @property {ComponentType<{toStory: () => void}>} WrongPart
 * @property {ComponentType} StoryPane
 * @property {ComponentType} RightPanes
 * @property {ComponentType} Timeline
 * @property {() => string} spoken
 */
/** @typedef {(view: Box | null) => Shape[]} Over shapes over the visible part of a picture */
/**
 * @typedef {Why & {
 *   chain: Chain,
 *   over: (
 *     run: {graph: GraphLayout, memory: MemoryLayout},
 *     state: State,
 *   ) => {graph: Over, memory: Over},
 * }} WhyAnswer
 */
/**
 * `k`: the shown stop. Without `go`, `follow` and `close` the chain is not interactive.
 * @typedef {{
 *   why: Why,
 *   k: number,
 *   go?: (k: number) => void,
 *   follow?: (choices: Choice[]) => void,
 *   close?: () => void,
 * }} ChainProps
 */
/**
 * @typedef {object} WhyChunk
 * @property {(index: Index, tick: number, subject: Asked, choices: Choice[]) => WhyAnswer} answerOf
 * @property {(index: Index, k: number, subject: Asked) => Question} askedAt
 * @property {(question: Question, choices: Choice[]) => Question} following
 * @property {ComponentType<ChainProps>} Chain
 */
/** @typedef {{index: Index, raised: Raised, go: (k: number) => void}} TracebackProps `go`: to a stop */
/** @typedef {{Traceback: ComponentType<TracebackProps>}} TracebackChunk */
/** @typedef {{Demo: ComponentType}} DemoChunk the start page's demonstration */
/** @typedef {{Menu: ComponentType}} ExamplesChunk */
/**
 * @typedef {object} EditingChunk
 * @property {() => Extension} extras of an editor whose code can be edited
 * @property {(view: EditorView) => boolean} openFind
 * @property {(view: EditorView) => boolean} complete the name before the cursor
 */
/** @typedef {{Exporting: ComponentType}} ExportChunk */
/** @typedef {{Sharing: ComponentType, SharedHeading: ComponentType, SharedNote: ComponentType}} ShareChunk */
/**
 * @typedef {object} CodeLinkChunk
 * @property {(requested: Requested & {code: string}) => Promise<void>} openCodeLink
 */
/**
 * @typedef {object} ViewChunk the view of a step, as in an address
 * @property {() => string} viewNow
 * @property {(view: URLSearchParams) => Promise<void>} showAs
 * @property {(view: URLSearchParams) => Promise<void>} followView resolves when the view is shown; zoom and
 *   language stay
 * @property {(view: URLSearchParams) => Pins} pinsIn
 * @property {(layouts: RunLayouts, view: URLSearchParams) => Promise<void>} arrange
 */
/**
 * @typedef {object} LectureChunk
 * @property {() => Promise<void>} openMaking opens the dialog that makes a lecture from the shown steps
 * @property {() => void} keepWhatIsShown records the shown steps from now on, while a run is presented
 * @property {(shown: ShownStep) => void} keep
 * @property {Signal<Own[]>} ownLectures
 * @property {ComponentType} OwnLectures
 * @property {ComponentType<{made: Own, lecture: Lecture, isOpen: boolean, close: () => void}>} Editing
 * @property {() => Promise<unknown>} loadLook of the dialogs
 */
/**
 * @typedef {object} RoomChunk
 * @property {() => Promise<ComponentType>} openRoomButton the room button in the share dialog
 * @property {ComponentType} RoomKeys of the help
 * @property {(code: string) => Promise<void>} enterRoom
 */
/**
 * @typedef {object} Chunks
 * @property {CodeChunk} code
 * @property {RunChunk} run
 * @property {WhyChunk} why
 * @property {TracebackChunk} traceback
 * @property {DemoChunk} demo
 * @property {HelpChunk} help
 * @property {LegendChunk} legend
 * @property {TextViewChunk} textView
 * @property {CompareChunk} compare
 * @property {FindingChunk} finding
 * @property {QuestionChunk} question
 * @property {PresenterChunk} presenter
 * @property {ShareChunk} share
 * @property {EditingChunk} editing
 * @property {ExamplesChunk} examples
 * @property {ExportChunk} export
 * @property {CodeLinkChunk} codeLink
 * @property {ViewChunk} view
 * @property {LectureChunk} lecture
 * @property {RoomChunk} room
 */
/** @typedef {{[Name in keyof Chunks]: () => Promise<Chunks[Name]>}} Loaders */

/** @type {Partial<Loaders>} */
let loaders = {};
/** @type {{[Name in keyof Chunks]?: Promise<Chunks[Name]>}} */
const loading = {};

/**
 * Sets the functions that load chunks. Must be called once, before the first `loadChunk`.
 * @param {Partial<Loaders>} given
 */
export function provideChunks(given) {
  loaders = given;
}

/**
 * Loads a chunk, once. After a failure, the next call loads it again.
 * @template {keyof Chunks} Name
 * @param {Name} name
 * @returns {Promise<Chunks[Name]>}
 */
export function loadChunk(name) {
  const load = /** @type {() => Promise<Chunks[Name]>} */ (loaders[name]);
  const known = /** @type {Promise<Chunks[Name]> | undefined} */ (loading[name]);
  const loaded = known ?? load();
  Object.assign(loading, { [name]: loaded });
  loaded.catch(() => delete loading[name]);
  return loaded;
}

/**
 * Loads a chunk and calls `use` with it. If loading fails, `use` is not called, and the next call loads the
 * chunk again.
 * @template {keyof Chunks} Name
 * @param {Name} name
 * @param {(chunk: Chunks[Name]) => unknown} use
 */
export function withChunk(name, use) {
  loadChunk(name).then(use, () => undefined);
}
