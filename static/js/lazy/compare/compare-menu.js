/** Owns the menu of programs to compare a snippet with: the edited code, the previous run, lessons. */

import { h } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { Icon } from "../../panes/icons.js";
import { plain } from "../../panes/rich.js";
import { groups, headOf } from "../../state/programs.js";
import { isOld, program } from "../../state/store.js";
import { language, say } from "../../state/words.js";
import { compareBefore, compareEdited, compareLesson, hasRunBefore } from "./candidates.js";

export function CompareMenu() {
  return [
    isOld.value ? h(ActionButton, { id: "compare-with-edited", act: compareEdited }) : null,
    hasRunBefore() ? h(ActionButton, { id: "compare-with-before", act: compareBefore }) : null,
    h(Lessons, null),
    isOld.value ? null : h("p", { class: "beside-hint" }, say("compare-hint")),
  ];
}

/** @param {{id: string, act: () => void}} props */
function ActionButton({ id, act }) {
  return button(
    { class: "display-row", onClick: () => chosen(act) },
    h("span", null, say(id)),
    h(Icon, { name: "next", size: 14 }),
  );
}

function Lessons() {
  const here = headOf(program.value);
  const others = groups().map(
    ([group, lessons]) => /** @type {const} */ ([group, lessons.filter((lesson) => lesson !== here)]),
  );
  const choose = (/** @type {{currentTarget: HTMLSelectElement}} */ { currentTarget }) => {
    const slug = currentTarget.value;
    currentTarget.value = "";
    if (slug !== "") chosen(() => void compareLesson(slug));
  };
  return h(
    "label",
    { class: "display-row" },
    h("span", null, say("compare-with-lesson")),
    h(
      "select",
      { name: "beside", value: "", onChange: choose },
      h("option", { value: "" }, say("compare-choose")),
      others.map(([group, lessons]) =>
        h(
          "optgroup",
          { label: say(`lesson-group-${group}`), key: group },
          lessons.map(({ slug, title }) =>
            h("option", { value: slug, key: slug }, plain(title[language.value] ?? slug)),
          ),
        ),
      ),
    ),
  );
}

/**
 * Closes the menu and performs the action of the chosen item.
 * @param {() => void} act
 */
function chosen(act) {
  document.getElementById("beside")?.hidePopover();
  act();
}
