/** Owns the dialog for export: a picture of this step, or slides or an animation of several steps. */

import { h, useState } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { Sheet } from "../../panes/modal.js";
import { isExporting, step, stepCount } from "../../state/store.js";
import { say } from "../../state/words.js";
import { ForPaper } from "./for-paper.js";
import { MOST_FRAMES, framesOf } from "./frames.js";
import { pngOf, rastered } from "./raster.js";
import { save } from "./save.js";
import { pictureOf, seen } from "./seen.js";

/** @import {Which} from "./seen.js" */

/** @type {Which[]} */
const PICTURES = ["both", "graph", "memory"];

export function Exporting() {
  const close = () => (isExporting.value = false);
  return h(
    Sheet,
    { name: "exporting", title: say("export"), isOpen: isExporting.value, close },
    isExporting.value ? h(Choices, null) : null,
  );
}

function Choices() {
  const [which, setWhich] = useState(/** @type {Which} */ ("both"));
  const [told, setTold] = useState("");
  const [isBusy, setBusy] = useState(false);
  /** @param {() => Promise<string>} make returns the message about its result */
  const act = async (make) => {
    setBusy(true);
    try {
      setTold(await make());
    } catch {
      setTold(say("export-failed"));
    } finally {
      setBusy(false);
    }
  };
  return [
    h(
      "fieldset",
      { class: "exporting-which", key: "which" },
      h("legend", null, say("export-picture")),
      PICTURES.map((each) =>
        h(
          "label",
          { key: each },
          h("input", {
            type: "radio",
            name: "exporting-which",
            checked: which === each,
            onChange: () => setWhich(each),
          }),
          say(`export-${each}`),
        ),
      ),
    ),
    h(OfStep, { key: "step", which, isBusy, act }),
    h(ForPaper, { key: "paper", which, isBusy, act }),
    h(OfSteps, { key: "steps", which, isBusy, act, tell: setTold }),
    h("p", { key: "told", role: "status", class: "exporting-told" }, told),
  ];
}

/** @typedef {{which: Which, isBusy: boolean, act: (make: () => Promise<string>) => void}} ActProps */

/** @param {ActProps} props */
function OfStep({ which, isBusy, act }) {
  /** @param {"svg" | "png"} kind */
  const make = (kind) => async () => {
    const what = seen(which);
    if (what === null) return say("export-nothing");
    const picture = await pictureOf(what);
    const blob =
      kind === "svg"
        ? new Blob([picture.svg], { type: "image/svg+xml" })
        : await pngOf(await rastered(picture, 2));
    return saved(blob, `${which}-step-${step.peek() + 1}.${kind}`);
  };
  return h(
    "section",
    { "aria-labelledby": "exporting-step" },
    h("h3", { id: "exporting-step" }, say("export-this", { step: step.value + 1 })),
    h("p", { class: "exporting-quiet" }, say("export-as-seen")),
    h(
      "div",
      { class: "exporting-acts" },
      toggleButton("SVG", isBusy, () => act(make("svg"))),
      toggleButton("PNG", isBusy, () => act(make("png"))),
    ),
  );
}

/** @param {ActProps & {tell: (text: string) => void}} props */
function OfSteps({ which, isBusy, act, tell }) {
  const count = stepCount.value;
  const [from, setFrom] = useState(1);
  const [to, setTo] = useState(Math.min(count, MOST_FRAMES));
  const isRange = from >= 1 && to <= count && from <= to;
  const isShort = to - from < MOST_FRAMES;
  const draw = () =>
    framesOf(which, from - 1, to - 1, (k) => tell(say("export-drawing", { step: k + 1, last: to })));
  const slides = async () => {
    const frames = await draw();
    if (frames.length === 0) return say("export-nothing");
    await (await import("./slides.js")).printed(frames);
    return say("export-printed");
  };
  /** @param {"apng" | "gif"} kind */
  const animation = (kind) => async () => {
    const frames = await draw();
    if (frames.length === 0) return say("export-nothing");
    const blob = await (await import("./animation.js")).animated(frames, kind);
    return saved(blob, `${which}-steps-${from}-${to}.${kind === "apng" ? "png" : "gif"}`);
  };
  return h(
    "section",
    { "aria-labelledby": "exporting-steps" },
    h("h3", { id: "exporting-steps" }, say("export-steps")),
    h(
      "div",
      { class: "exporting-range" },
      number(say("export-from"), from, count, setFrom),
      number(say("export-to"), to, count, setTo),
    ),
    isRange && isShort
      ? null
      : h(
          "p",
          { role: "alert" },
          say(isRange ? "export-too-many" : "export-no-range", { most: MOST_FRAMES, count }),
        ),
    h(
      "div",
      { class: "exporting-acts" },
      toggleButton(say("export-slides"), isBusy || !isRange || !isShort, () => act(slides)),
      toggleButton("APNG", isBusy || !isRange || !isShort, () => act(animation("apng"))),
      toggleButton("GIF", isBusy || !isRange || !isShort, () => act(animation("gif"))),
    ),
  );
}

/**
 * @param {string} label
 * @param {boolean} isDisabled whether the button has no effect; it can still have the focus
 * @param {() => void} onClick
 */
function toggleButton(label, isDisabled, onClick) {
  const act = () => {
    if (!isDisabled) onClick();
  };
  return button({ "aria-disabled": isDisabled, onClick: act }, label);
}

/**
 * @param {string} label
 * @param {number} value
 * @param {number} most
 * @param {(value: number) => void} set
 */
function number(label, value, most, set) {
  const onInput = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) =>
    set(currentTarget.valueAsNumber);
  return h("label", null, label, h("input", { type: "number", min: 1, max: most, step: 1, value, onInput }));
}

/**
 * @param {Blob} blob
 * @param {string} name
 */
function saved(blob, name) {
  save(blob, `stepgrad-${name}`);
  return say("export-saved", { name: `stepgrad-${name}` });
}
