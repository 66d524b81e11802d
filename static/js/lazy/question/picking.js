/** Lets a visitor answer a question by a click on a cell, version counter, Node or line of code. */

import { useEffect } from "../../../vendor/ui.js";
import { at } from "../../run/facts.js";
import { isLegal } from "../../run/questions/answers.js";
import { lineAt } from "../../panes/code/code.js";

/** @import {Index, State} from "../../run/types.d.ts" */
/** @import {Answer, Legal} from "../../run/questions/asked.d.ts" */

/**
 * While a question is open, a click on a possible answer enters that answer and has no other effect.
 * @param {Index} index
 * @param {State} now
 * @param {Legal} legal
 * @param {(answer: Answer) => void} pick
 */
export function usePicking(index, now, legal, pick) {
  useEffect(() => {
    const click = (/** @type {MouseEvent} */ event) => {
      // The event's path contains elements in the editor's shadow root. The elements at the mouse position
      // are needed too, because a tensor's frame lies over its cells.
      const path = event.composedPath().filter((each) => each instanceof Element);
      const under = [...path, ...document.elementsFromPoint(event.clientX, event.clientY)];
      const isOnPage = path.some((element) => element.matches(".code-pane, .picture"));
      const answer = isOnPage ? answerAt(index, now, legal, under) : null;
      if (answer === null || !isLegal(legal, answer)) return;
      event.preventDefault();
      event.stopPropagation();
      pick(answer);
    };
    window.addEventListener("click", click, { capture: true });
    return () => window.removeEventListener("click", click, { capture: true });
  });
}

/**
 * @param {Index} index
 * @param {State} now
 * @param {Legal} legal
 * @param {Element[]} under the elements at the click, the topmost first
 * @returns {Answer | null}
 */
function answerAt(index, now, { form }, under) {
  const within = (/** @type {string} */ selector) =>
    under.map((element) => element.closest(selector)).find((element) => element !== null);
  if (form === "line") {
    const line = within(".cm-line");
    const number = line === undefined ? null : lineAt(line);
    return number === null ? null : { kind: "line", line: number };
  }
  if (form === "node") {
    const node = within(".graph [data-node]");
    return node === undefined ? null : { kind: "node", node: numberOf(node, "data-node") };
  }
  if (form === "cell") {
    const cell = within(".memory .cell[data-cell]");
    const storage = cell?.closest("[data-storage]");
    return cell === undefined || storage == null
      ? null
      : { kind: "cell", storage: numberOf(storage, "data-storage"), cell: numberOf(cell, "data-cell") };
  }
  if (form === "counter") {
    const tensor = within(".memory [data-tensor]");
    const counter = at(
      index.tensors[tensor === undefined ? -1 : numberOf(tensor, "data-tensor")]?.version_counter,
      now.tick,
    );
    return typeof counter === "number" ? { kind: "counter", counter } : null;
  }
  return null;
}

/**
 * @param {Element} element
 * @param {string} name
 */
function numberOf(element, name) {
  return Number(element.getAttribute(name));
}
