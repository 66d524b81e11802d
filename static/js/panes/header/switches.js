/** Owns the two switches of every page: its language, and light or dark. */

import { h } from "../../../vendor/ui.js";
import { language, say, speak } from "../../state/words.js";
import { Icon } from "../icons.js";

export function LanguageSwitch() {
  const button = (/** @type {"en" | "zh-CN"} */ tag, /** @type {string} */ text) =>
    h(
      "button",
      {
        type: "button",
        lang: tag,
        "aria-pressed": language.value === tag ? "true" : "false",
        onClick: () => void speak(tag),
      },
      text,
    );
  return h(
    "div",
    { class: "switch", role: "group", "aria-label": say("language") },
    button("en", "EN"),
    button("zh-CN", "中文"),
  );
}

export function ThemeButton() {
  return h(
    "button",
    {
      class: "button icon-only",
      type: "button",
      title: say("theme"),
      "aria-label": say("theme"),
      onClick: switchTheme,
    },
    h(Icon, { name: "theme" }),
  );
}

function switchTheme() {
  document.documentElement.dispatchEvent(new Event("stepgrad-theme"));
}
