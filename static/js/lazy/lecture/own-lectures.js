/** Owns the lectures that this browser made: their tokens, and their list in the dialog of sharing. */

import { h } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { legible } from "../../run/legible.js";
import { useOutcome } from "../../panes/forms.js";
import { changeLecture, removeLecture, storeLecture } from "../../io/lectures.js";
import { ownList, today } from "../../session/own-list.js";
import { say } from "../../state/words.js";

/** @import {Lecture} from "../../io/lectures.js" */
/** @import {Own} from "../../session/own-list.js" */

const { list, read, write } = ownList("lectures");
/** The lectures that this browser made, the latest last. */
export const ownLectures = list;

/**
 * Publish a lecture.
 * @param {Lecture} lecture
 * @returns {Promise<Own>}
 */
export async function publish(lecture) {
  const { id, deletion_token: token } = await storeLecture(lecture);
  const made = { id, token, title: lecture.title, day: today() };
  write([...read(), made]);
  return made;
}

/**
 * Replace the data of a lecture.
 * @param {Own} made
 * @param {Partial<Lecture>} lecture
 */
export async function rewrite(made, lecture) {
  await changeLecture(made.id, made.token, lecture);
  const title = lecture.title ?? made.title;
  write(read().map((each) => (each.id === made.id ? { ...each, title } : each)));
}

/** @param {Own} made */
export async function unpublish(made) {
  await removeLecture(made.id, made.token);
  write(read().filter((each) => each.id !== made.id));
}

export function OwnLectures() {
  const lectures = [...ownLectures.value].reverse();
  const [told, run] = useOutcome();
  const remove = (/** @type {Own} */ made) =>
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
    h(
      "ul",
      null,
      lectures.map((made) =>
        h(
          "li",
          { key: made.id },
          h("a", { href: `/l/${made.id}` }, nameOf(made)),
          h("span", { class: "sharing-quiet" }, made.day),
          button(
            {
              "aria-label": say("share-delete-this", { name: nameOf(made) }),
              onClick: () => void remove(made),
            },
            say("share-delete-short"),
          ),
        ),
      ),
    ),
    status,
  );
}

/** @param {Own} made */
function nameOf({ id, title }) {
  return title === "" ? `/l/${id}` : legible(title);
}
