/** Owns the print view: a 16:9 page for each chosen step, with its story as caption. */

import { say } from "../../state/words.js";

/** @import {Frame} from "./frames.js" */

/**
 * Removes the pages of the previous print. This function is also called before the next print, because some
 * browsers never report the end of printing.
 */
let clear = () => {};

/**
 * Opens the browser's print dialog with one page for each frame.
 * @param {Frame[]} frames
 * @returns {Promise<void>}
 */
export async function printed(frames) {
  clear();
  const slides = document.createElement("div");
  slides.className = "slides";
  const urls = frames.map(({ picture }) =>
    URL.createObjectURL(new Blob([picture.svg], { type: "image/svg+xml" })),
  );
  slides.append(...frames.map((frame, number) => slideOf(frame, urls[number] ?? "")));
  document.body.append(slides);
  clear = () => {
    slides.remove();
    for (const url of urls.splice(0)) URL.revokeObjectURL(url);
  };
  await Promise.all([...slides.querySelectorAll("img")].map((image) => image.decode()));
  window.addEventListener("afterprint", clear, { once: true });
  window.print();
}

/**
 * @param {Frame} frame
 * @param {string} url the address of its picture
 */
function slideOf({ k, caption, why: [question, ...links] }, url) {
  const slide = document.createElement("section");
  const title = document.createElement("h2");
  title.textContent = say("export-slide", { step: k + 1 });
  const image = document.createElement("img");
  image.src = url;
  image.alt = title.textContent;
  const told = document.createElement("p");
  told.textContent = caption;
  slide.append(title, image, told);
  if (question !== undefined) slide.append(answer(question, links));
  return slide;
}

/**
 * The element with the answer to "Why?", whose links have the same numbers as in the picture.
 * @param {string} question
 * @param {string[]} links
 */
function answer(question, links) {
  const list = document.createElement("ol");
  list.append(...links.map((link) => Object.assign(document.createElement("li"), { textContent: link })));
  const all = document.createElement("div");
  all.className = "slide-why";
  all.append(Object.assign(document.createElement("h3"), { textContent: question }), list);
  return all;
}
