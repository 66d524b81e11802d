/**
 * Owns the lectures that this browser published: the tokens to change them, and their list in the share
 * dialog.
 */

import { h } from "../../../vendor/ui.js";
import { madeList, useOutcome } from "../../panes/forms.js";
import { storeLecture } from "../../io/lectures.js";
import { ownList } from "../../session/own-list.js";
import { say } from "../../state/words.js";

/** @import {Lecture} from "../../io/lectures.js" */
/** @import {Own} from "../../session/own-list.js" */

const { list, add, change, remove } = ownList("lectures");
/** The lectures that this browser made, the latest at the end. */
export const ownLectures = list;
/** Replaces the content of a published lecture. */
export const rewrite = change;
export const unpublish = remove;

/**
 * Publishes a lecture.
 * @param {Lecture} lecture
 */
export function publish(lecture) {
  return add(storeLecture(lecture), lecture.title);
}

export function OwnLectures() {
  const lectures = [...ownLectures.value].reverse();
  const [told, run] = useOutcome();
  const forget = (/** @type {Own} */ made) =>
    run(async () => {
      await unpublish(made);
      return say("lecture-deleted");
    });
  const status = h("p", { key: "status", role: "status", class: "sharing-quiet" }, told);
  if (lectures.length === 0) return status;
  return h(
    "details",
    { class: "sharing-own lectures-own" },
    h("summary", null, say("lectures-own", { count: lectures.length })),
    madeList("/l/", lectures, (made) => void forget(made)),
    status,
  );
}
