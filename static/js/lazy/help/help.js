/** Owns the help: how to read the pictures, the signs in the pictures, and the keys. */

import { h, useEffect } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { boot } from "../../io/boot.js";
import { isFile } from "../../io/medium.js";
import { ANYWHERE, IN_CODE, IN_PICTURES, IN_REPLAY, written } from "../../input/keymap.js";
import { hasCharacterKeys } from "../../state/preferences.js";
import { helpPart, room } from "../../state/store.js";
import { say } from "../../state/words.js";
import { loadChunk } from "../../panes/chunks.js";
import { Switch } from "../../panes/header/display-menu.js";
import { Lazy } from "../../panes/lazy.js";
import { rich } from "../../panes/rich.js";
import { Glossary } from "./glossary.js";
import { Sheet } from "../../panes/modal.js";

export function Help() {
  const part = helpPart.value;
  const close = () => (helpPart.value = "");
  useEffect(() => {
    if (part === "legend" || part === "glossary") document.getElementById(`help-${part}`)?.scrollIntoView();
  }, [part]);
  return h(
    Sheet,
    { name: "help", title: say("help"), isOpen: part !== "", close },
    part === ""
      ? null
      : [
          ["help-graph", "help-memory", "help-steps"].map((id) => h("p", { key: id }, rich(say(id)))),
          button(
            { key: "to-terms", class: "link", onClick: () => (helpPart.value = "glossary") },
            say("glossary-all"),
          ),
          isFile
            ? null
            : h(
                "p",
                { key: "course" },
                say("course-words", { count: boot.lessons.length }),
                " ",
                h("a", { href: "/lessons" }, say("course-all")),
              ),
          h("h3", { key: "signs", id: "help-legend" }, say("legend")),
          h(
            "div",
            { key: "legend", class: "legend" },
            h(Lazy, { isAsked: true, load: async () => (await loadChunk("legend")).LegendEntries }),
          ),
          h("h3", { key: "keys" }, say("keys")),
          h(Keys, { key: "list" }),
          h(Lazy, {
            key: "room",
            isAsked: room.value !== null,
            load: async () => (await loadChunk("room")).RoomKeys,
          }),
          h(Switch, { key: "switch", name: "character-keys", setting: hasCharacterKeys }),
          h("h3", { key: "terms", id: "help-glossary" }, say("glossary")),
          h(Glossary, { key: "glossary" }),
        ],
  );
}

/** Keyboard shortcuts that the help of a standalone file omits, because the file cannot run code. */
const OF_EDITING = new Set(["key-run", "key-edit", "key-edit-here"]);

function Keys() {
  const all = Object.entries({ ...IN_REPLAY, ...IN_CODE, ...IN_PICTURES, ...ANYWHERE }).filter(
    ([id]) => !isFile || !OF_EDITING.has(id),
  );
  return h(
    "dl",
    { class: "keys" },
    all.map(([id, keys]) => [
      h(
        "dt",
        { key: id },
        keys.map((key) => h("kbd", { key, "data-key": key }, written(key))),
      ),
      h("dd", { key: `${id}=` }, say(id)),
    ]),
  );
}
