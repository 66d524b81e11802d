/**
 * Starts the gallery of lessons. Until the messages and the lessons are loaded, the page shows the list of
 * links that the server sent.
 */

import { effect, h, render } from "../../vendor/ui.js";
import { API } from "../io/prefix.js";
import { language, loadWords, say, speak } from "../state/words.js";
import { Gallery } from "../gallery/course-list.js";
import { keepQueryInAddress, listen } from "../gallery/query.js";

/** @import {Lesson} from "../io/boot.js" */

/** @returns {Promise<Lesson[]>} */
async function course() {
  const answer = await fetch(`${API}/lessons`);
  if (!answer.ok) throw new Error(`no lessons: ${answer.status}`);
  return answer.json();
}

async function start() {
  const [lessons] = await Promise.all([course(), loadWords(language.peek()).catch(() => speak("en"))]);
  const root = /** @type {HTMLElement} */ (document.getElementById("gallery"));
  effect(() => {
    document.documentElement.lang = language.value;
    document.title = `${say("course")} · Stepgrad`;
  });
  root.replaceChildren();
  render(h(Gallery, { lessons }), root);
  listen();
  keepQueryInAddress();
  if (location.hash !== "")
    document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

void start();
