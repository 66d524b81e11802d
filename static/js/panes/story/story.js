/** Owns the story pane: the sentences of a step, the findings up to this step, and how the run ended. */

import { h, signal, useState } from "../../../vendor/ui.js";
import { button } from "../buttons.js";
import { rowsTaken } from "../../layout/memory-rows.js";
import {
  closedFrom,
  constructedAt,
  constructionsOf,
  endingAt,
  openedFrom,
  sizeOf,
} from "../../run/stops/constructions.js";
import { modesOf } from "../../run/modes.js";
import { endingStop } from "../../run/stops/opening.js";
import { stateAt } from "../../run/state-at.js";
import { hasCharacterKeys } from "../../state/preferences.js";
import { askedStop, isHidden } from "../../state/prediction.js";
import { goTo, heading, heldStops, played, state } from "../../state/store.js";
import { isFile } from "../../io/medium.js";
import { isBrokenOff, stepSentences } from "../../io/step-sentences.js";
import { say, tell } from "../../state/words.js";
import { loadChunk, withChunk } from "../chunks.js";
import { cards } from "../finding-cards.js";
import { Icon } from "../icons.js";
import { Lazy } from "../lazy.js";
import { lessonPage } from "../lesson-page.js";
import { MaximiseButton } from "../maximise.js";
import { posedPage, Question, Result } from "./question.js";
import { plain, rich } from "../rich.js";
import { Summary } from "./summary.js";
import { Why } from "./why.js";
import { WarningButtons } from "../timeline/granularity-switch.js";

/** @import {FindingsProps, TracebackChunk, TracebackProps} from "../chunks.js" */
/** @import {Index, MemoryLayout, Sentence, State} from "../../run/types.d.ts" */

export function StoryPane() {
  const now = state.value;
  const run = played.value;
  if (!run) return null;
  const { index } = run;
  if (!now)
    return h(
      "section",
      { class: "pane story-pane" },
      h(Summary, null),
      h(
        "div",
        { class: "pane-body" },
        h(Findings, { index, now: null, about: true, go: goTo }),
        h(End, { index }),
        h(InPart, { index }),
      ),
    );
  const asked = askedStop.value;
  const posed = heldStops.value === null ? null : posedPage.value;
  const page = asked === null ? lessonPage.value : null;
  const isVerdict = page?.isShown() === true;
  const title = isVerdict
    ? say("lesson-verdict")
    : asked === null
      ? say("story-title", { step: now.k + 1 })
      : (posed?.title() ?? say("predict-title", { step: asked + 1 }));
  return h(
    "section",
    { class: `pane story-pane${asked === null ? "" : " asking"}`, "aria-labelledby": "story-title" },
    h(Summary, null),
    h(
      "div",
      { class: "pane-head" },
      h("h2", { id: "story-title" }, title),
      h("span", { class: "spring" }),
      page === null ? null : h(page.Switch, null),
      isHidden.value ? null : h(WarningButtons, null),
      h(MaximiseButton, { pane: "story" }),
    ),
    h(
      "div",
      { class: "pane-body story", tabIndex: 0, role: "group", "aria-labelledby": "story-title" },
      page !== null && isVerdict
        ? h(page.Verdict, null)
        : asked === null
          ? [
              h(Why, { key: "why" }),
              h(Result, { key: "result" }),
              posedPage.value === null ? null : h(posedPage.value.Outcome, { key: "outcome" }),
              h(StepStory, { key: "step", index, memory: run.memory, now, go: goTo, isBeside: isFile }),
              h(Lazy, {
                key: "note",
                isAsked: Object.keys(heading.value?.notes ?? {}).length > 0,
                load: async () => (await loadChunk("share")).SharedNote,
              }),
            ]
          : posed === null
            ? h(Question, { index, k: asked })
            : h(posed.Panel, null),
    ),
  );
}

/**
 * `memory`: the layout of the memory picture, with the row of each storage. `go` shows a stop. `isBeside`:
 * whether the story is in a comparison or a standalone file, where no fixes are offered.
 * @typedef {{index: Index, memory: MemoryLayout, go: (k: number) => void, isBeside?: boolean}} StepProps
 */

/**
 * The maximum number of visible sentences about a step. If there are more, at least two of them are folded.
 */
const MOST_IN_SIGHT = 3;
/** Whether the visitor unfolded the sentences, which applies to all steps. */
const isUnfolded = signal(false);

/**
 * The sentences of a step and the known findings, starting with the findings about the step. The open card
 * of a finding is above the sentences.
 * @param {StepProps & {now: State}} props
 */
export function StepStory({ index, memory, now, go, isBeside = false }) {
  const sentences = [...sentencesOf(index, now), ...rowsTaken(index, memory, now)];
  const isExplained = cards.value?.isExplained(index, now) === true;
  const about = h(Findings, { index, now, about: true, go, isBeside, key: "about" });
  const { seen, folded } = inSight(sentences, isExplained);
  const raised = raisedBy(index);
  const terms = new Set();
  const told = (/** @type {Sentence[]} */ some) =>
    some.map((sentence, number) => h("p", { key: `${sentence.id}${number}` }, rich(tell(sentence), terms)));
  return [
    isExplained ? about : null,
    told(seen),
    raised !== undefined && (isExplained || now.is_last || now.k === endingStop(index))
      ? h(PythonTraceback, { index, raised, go })
      : null,
    folded.length === 0
      ? null
      : h(
          "details",
          {
            key: "else",
            class: "story-else",
            open: isUnfolded.value,
            onToggle: (/** @type {{currentTarget: HTMLDetailsElement}} */ event) =>
              (isUnfolded.value = event.currentTarget.open),
          },
          h("summary", null, say("story-else", { count: folded.length })),
          told(folded),
        ),
    h(Construction, { index, now, go }),
    now.is_last ? h(End, { index }) : null,
    h(Modes, { now }),
    isExplained ? null : about,
    h(Findings, { index, now, about: false, go, isBeside, key: "others" }),
    h(InPart, { index }),
  ];
}

/**
 * Divides the sentences about a step into visible and folded ones. If the card of a finding is open, only
 * the sentence about an exception is visible.
 * @param {Sentence[]} sentences
 * @param {boolean} isExplained
 */
function inSight(sentences, isExplained) {
  const count = sentences.length > MOST_IN_SIGHT ? Math.min(MOST_IN_SIGHT, sentences.length - 2) : Infinity;
  if (!isExplained) return { seen: sentences.slice(0, count), folded: sentences.slice(count) };
  return {
    seen: sentences.filter(({ id }) => id === "story-raised"),
    folded: sentences.filter(({ id }) => id !== "story-raised" && id !== "story-nothing"),
  };
}

/**
 * The note that the server stopped some finders, so that findings may be missing.
 * @param {{index: Index}} props
 */
function InPart({ index }) {
  if (index.unfinished === 0) return null;
  return h("p", { class: "in-part" }, say("explained-in-part", { count: index.unfinished }));
}

/**
 * @param {Index} index
 * @param {State} now
 * @returns {Sentence[]}
 */
export function sentencesOf(index, now) {
  const sentences = stepSentences(index, now, now.k > 0 ? stateAt(index, now.k - 1) : null);
  const isTheEnd = now.is_last && index.ended.kind === "raised";
  const made = isBrokenOff(index, now.stop.step.id) ? null : constructedAt(index, now);
  const told = isTheEnd ? sentences.filter((sentence) => sentence.id !== "story-raised") : sentences;
  return made === null ? told : [constructedIn(made), ...told.filter(({ id }) => id !== "story-nothing")];
}

/**
 * @param {NonNullable<ReturnType<typeof constructedAt>>} made
 * @returns {Sentence}
 */
function constructedIn({ classes, parameters, elements, buffers, others }) {
  const names = [...new Set(classes)];
  return {
    id: "constructed",
    args: {
      name: names[0] ?? "?",
      classes: names.length,
      modules: classes.length,
      parameters,
      elements,
      buffers,
      others,
    },
  };
}

/**
 * Two buttons about the construction of a module: one steps into the construction that this step passed as a
 * whole, the other out of the construction that contains this step.
 * @param {Omit<StepProps, "memory"> & {now: State}} props
 */
function Construction({ index, now, go }) {
  const constructions = constructionsOf(index);
  const [into, out] = [openedFrom(constructions, now.k), closedFrom(constructions, now.k)];
  const way = (
    /** @type {string} */ id,
    /** @type {number} */ to,
    /** @type {number} */ count,
    hasKey = true,
  ) =>
    button(
      { key: id, onClick: () => go(to) },
      rich(say(id, { count })),
      " ",
      hasKey && hasCharacterKeys.value ? h("kbd", null, "u") : null,
    );
  if (into === undefined && out === undefined) return null;
  const around = constructions.all[constructions.innermost[now.k] ?? -1];
  return h(
    "p",
    { class: "construction" },
    into === undefined
      ? null
      : way(
          "construction-open",
          into,
          endingAt(constructions, now.k).reduce((all, each) => all + sizeOf(each), 0),
        ),
    out === undefined || around === undefined
      ? null
      : way("construction-close", out, sizeOf(around), into === undefined),
  );
}

/**
 * The grad modes and other contexts in which the step ran.
 * @param {{now: State}} props
 */
function Modes({ now }) {
  const modes = modesOf(now.stop.within);
  if (modes.length === 0) return null;
  return h(
    "ul",
    { class: "modes" },
    modes.map(({ id, args }) =>
      h("li", { key: id, title: plain(tell({ id: `${id}-means`, args })) }, tell({ id, args })),
    ),
  );
}

/** @param {FindingsProps} props */
function Findings(props) {
  return cards.value === null ? null : h(cards.value.Findings, props);
}

/**
 * How the run ended.
 * @param {{index: Index}} props
 */
export function End({ index }) {
  const { kind } = index.ended;
  const [look, icon] =
    kind === "finished" ? ["well", "check"] : kind === "cancelled" ? ["stopped", "stop"] : ["badly", "cross"];
  return h(
    "div",
    { class: `end ${look}` },
    h(Icon, { name: icon, size: 18 }),
    h("p", null, rich(say(`end-${kind}`, index.end_arguments))),
  );
}

/**
 * The exception that ended a run; undefined: the run ended without one.
 * @param {Index} index
 */
function raisedBy({ ended }) {
  return ended.kind === "raised" ? ended : ended.kind === "out_of_memory" ? ended.raised : undefined;
}

/** @param {TracebackProps} props */
function PythonTraceback(props) {
  const [chunk, setChunk] = useState(/** @type {TracebackChunk | null} */ (null));
  return h(
    "details",
    {
      class: "python-traceback",
      onToggle: (/** @type {{currentTarget: HTMLDetailsElement}} */ { currentTarget }) =>
        currentTarget.open && withChunk("traceback", setChunk),
    },
    h("summary", null, say("traceback")),
    chunk === null ? null : h(chunk.Traceback, props),
  );
}
