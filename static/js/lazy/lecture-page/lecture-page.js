/** Owns the page of a lecture: its title, its parts, and the actions on it. */

import { h, useEffect, useState } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { legible } from "../../run/legible.js";
import { readStored } from "../../io/browser-storage.js";
import { report } from "../../io/api.js";
import { isFile } from "../../io/medium.js";
import { API } from "../../io/prefix.js";
import { loadChunk } from "../../panes/chunks.js";
import { PageHeader } from "../../panes/header/page-header.js";
import { Report } from "../../panes/report.js";
import { rich } from "../../panes/rich.js";
import { LanguageSwitch, ThemeButton } from "../../panes/header/switches.js";
import { language, say } from "../../state/words.js";
import { drawAll, isDrawingAll } from "./alive.js";
import { Part } from "./part.js";

/** @import {LectureChunk} from "../../panes/chunks.js" */
/** @import {Shown} from "./parts.js" */

/** @param {{lecture: Shown}} props */
export function LecturePage({ lecture }) {
  return [
    h("a", { class: "skip", href: "#main", key: "skip" }, say("lecture-skip")),
    h(
      PageHeader,
      { key: "header" },
      h("span", { class: "spring" }),
      h(LanguageSwitch, null),
      h(ThemeButton, null),
    ),
    h(
      "main",
      { id: "main", class: "lecture", key: "main" },
      h(Head, { lecture }),
      h(
        "div",
        { class: "lecture-parts" },
        lecture.parts.map((part, place) => h(Part, { key: place, part, number: place + 1 })),
      ),
      h("footer", { class: "lecture-foot lecture-quiet" }, h("p", null, say("lecture-recorded"))),
    ),
  ];
}

/** @param {{lecture: Shown}} props */
function Head({ lecture }) {
  const { title, about, author = "", minutes, parts } = lecture;
  const heading = typeof title === "object" ? rich(title[language.value] ?? "") : legible(title ?? "");
  return h(
    "header",
    { class: "lecture-head" },
    h("h1", null, heading.length === 0 ? say("lecture-untitled") : heading),
    author === ""
      ? null
      : h("p", { class: "lecture-author" }, say("lecture-by", { author: legible(author) })),
    about === undefined ? null : h("p", { class: "lecture-about" }, rich(about[language.value] ?? "")),
    minutes === undefined
      ? null
      : h("p", { class: "lecture-quiet" }, say("lecture-length", { minutes, parts: parts.length })),
    h(Acts, { lecture }),
  );
}

/** @param {{lecture: Shown}} props */
function Acts({ lecture }) {
  const { id, slug } = lecture;
  const chunk = useMaking(id);
  const made = chunk?.ownLectures.value.find((each) => each.id === id) ?? null;
  const [isReporting, setReporting] = useState(false);
  const [isEditing, setEditing] = useState(false);
  return h(
    "div",
    { class: "lecture-acts" },
    isFile ? null : h(FileLink, { path: id === undefined ? `plans/${slug}` : `lectures/${id}` }),
    button({ "aria-disabled": isDrawingAll.value, onClick: () => void printed() }, say("lecture-print")),
    slug === undefined || isFile ? null : h("a", { class: "button", href: "/lectures" }, say("lectures-all")),
    made === null ? null : button({ onClick: () => setEditing(true) }, say("lecture-edit")),
    id === undefined || made !== null || isFile
      ? null
      : button({ onClick: () => setReporting(true) }, say("report")),
    id === undefined || isFile
      ? null
      : h(Report, {
          title: say("lecture-report-title"),
          report: (reason) => report(`/lectures/${encodeURIComponent(id)}`, reason),
          isOpen: isReporting,
          close: () => setReporting(false),
        }),
    made === null || chunk === null
      ? null
      : h(chunk.Editing, {
          made,
          lecture: asSent(lecture),
          isOpen: isEditing,
          close: () => setEditing(false),
        }),
    h("p", { role: "status", class: "lecture-told" }, isDrawingAll.value ? say("lecture-drawing") : ""),
  );
}

/**
 * The chunk for editing lectures, loaded only if this browser has published a lecture; otherwise null.
 * @param {string | undefined} id
 */
function useMaking(id) {
  const [chunk, setChunk] = useState(/** @type {LectureChunk | null} */ (null));
  useEffect(() => {
    if (id === undefined || isFile || readStored("lectures") === null) return;
    loadChunk("lecture")
      .then(async (loaded) => {
        await loaded.loadLook();
        setChunk(loaded);
      })
      .catch(() => undefined); // the page then has no button to edit the lecture
  }, []);
  return chunk;
}

/**
 * Converts a published lecture to the format in which the server stores it, with a title in one language.
 * @param {Shown} lecture
 */
function asSent({ title, author = "", parts }) {
  return { title: typeof title === "string" ? title : "", author, parts };
}

/** @param {{path: string}} props */
function FileLink({ path }) {
  return h(
    "a",
    { class: "button", href: `${API}/${path}/lecture.html?language=${language.value}`, download: "" },
    say("share-file"),
  );
}

/** Draws every picture, then prints. */
async function printed() {
  if (isDrawingAll.peek()) return;
  await drawAll();
  print();
}
