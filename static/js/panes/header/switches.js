/** Owns the two switches that every page has: for its language, and for light or dark mode. */

import { h } from "../../../vendor/ui.js";
import { toggleButton, iconButton } from "../buttons.js";
import { language, say, speak } from "../../state/words.js";

export function LanguageSwitch() {
  const button = (/** @type {"en" | "zh-CN"} */ tag, /** @type {string} */ text) =>
    toggleButton(language.value === tag, () => void speak(tag), text, { lang: tag });
  return h(
    "div",
    { class: "switch", role: "group", "aria-label": say("language") },
    button("en", "EN"),
    button("zh-CN", "中文"),
  );
}

export function ThemeButton() {
  return iconButton("theme", say("theme"), { size: 18, onClick: switchTheme });
}

function switchTheme() {
  document.documentElement.dispatchEvent(new Event("stepgrad-theme"));
}
