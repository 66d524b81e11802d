/**
 * Owns what all timelines have in common: the slider over the steps, the measured width, and the text with
 * the step's number.
 */

import { h, useLayoutEffect, useState } from "../../../vendor/ui.js";
import { say } from "../../state/words.js";

/**
 * The slider over a range of steps.
 * @param {object} props
 * @param {number} [props.from]
 * @param {number} props.to the last step
 * @param {number} props.k
 * @param {string} [props.words] the text of the step for screen readers
 * @param {(k: number) => void} props.go
 * @param {string} [props.look]
 */
export function Slider({ from = 0, to, k, words, go, look }) {
  return h("input", {
    type: "range",
    min: from + 1,
    max: to + 1,
    step: 1,
    value: k + 1,
    class: look,
    "aria-label": say("timeline"),
    "aria-valuetext": words,
    onInput: (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) =>
      go(Number(currentTarget.value) - 1),
  });
}

/**
 * The width in px of a timeline's track. For a hidden track it is the last known width.
 * @param {{current: HTMLDivElement | null}} host
 * @param {number} least
 */
export function useWidth(host, least) {
  const [width, setWidth] = useState(600);
  useLayoutEffect(() => {
    if (!host.current) return undefined;
    const observer = new ResizeObserver(
      ([entry]) => entry && entry.contentRect.width > least && setWidth(entry.contentRect.width),
    );
    observer.observe(host.current);
    return () => observer.disconnect();
  }, []);
  return width;
}

/**
 * The text with the step's number and the number of all steps. If the stop passes several steps as one, the
 * text has the range of their numbers.
 * @param {{k: number, passed: number | null, count: number}} props
 */
export function StepWords({ k, passed, count }) {
  return h(
    "p",
    null,
    h(
      "b",
      null,
      passed === null ? say("step", { step: k + 1 }) : say("steps", { from: passed + 1, step: k + 1 }),
    ),
    " ",
    h("span", null, say("step-of", { count })),
  );
}
