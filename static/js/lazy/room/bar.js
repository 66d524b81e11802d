/**
 * Owns the bar of a room at the bottom of the page: whether the page follows the teacher, and the buttons
 * for the page's role in the room. Its height never changes.
 */

import { h } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { Icon } from "../../panes/icons.js";
import { isSmall } from "../../panes/tabs.js";
import { say } from "../../state/words.js";
import { here } from "./here.js";
import { LostButton, LostCount } from "./lost.js";
import { NextStep } from "./next-step.js";
import { AskButton } from "./poll/ask.js";
import { cardIsOpen, hasProjector, openProjector, room } from "./room.js";
import { sheetIsOpen } from "./sheet.js";
import { VariantsButton, VariantsHidden } from "./variants-button.js";

/** @import {Room} from "./room.js" */

export function RoomBar() {
  const shown = room.value;
  if (shown === null) return null;
  const parts = { teacher: TeacherParts, projector: ProjectorParts, member: MemberParts }[shown.role];
  return h("section", { class: `room-bar ${shown.role}`, "aria-label": say("room") }, h(parts, { shown }));
}

/** @param {{shown: Room}} props */
function MemberParts({ shown }) {
  const isOver = shown.link.isGone.value;
  const { isFollowing, copy } = shown.inStep;
  return [
    h(CodeButton, { key: "code", shown }),
    h(Line, { key: "line", shown }),
    isOver ? null : h(LostButton, { key: "lost", shown }),
    isOver
      ? null
      : h(isFollowing.value && copy.value !== null ? CopyButton : FollowButton, { key: "follow", shown }),
  ];
}

/** @param {{shown: Room}} props */
function FollowButton({ shown }) {
  const { isFollowing } = shown.inStep;
  return button(
    {
      class: `button room-follow${isFollowing.value ? "" : " primary"}`,
      disabled: isFollowing.value,
      title: `${say("key-follow")} (f)`,
      onClick: () => shown.inStep.follow(),
    },
    say("room-follow"),
  );
}

/**
 * The button that returns to the student's own version of the code. After a student edited the code, this
 * button takes the place of the button for following.
 * @param {{shown: Room}} props
 */
function CopyButton({ shown }) {
  return button(
    { class: "button room-follow", title: say("room-copy-means"), onClick: () => shown.inStep.toCopy() },
    say("room-copy"),
  );
}

/**
 * The line that states whether the page is connected to the room and follows the teacher. The line is always
 * in the same position, and screen readers announce its changes.
 * @param {{shown: Room}} props
 */
function Line({ shown }) {
  const state = stateOf(shown);
  return h(
    "p",
    { class: `room-line ${state}`, role: "status" },
    h("span", { class: "room-light", "aria-hidden": "true" }),
    h(
      "span",
      { class: "room-words" },
      say(isTouched && state === "wandering" ? "room-alone-here" : `room-${state}`),
    ),
  );
}

/** Whether the device has a touch screen. On such a device the status line mentions no keyboard shortcut. */
const isTouched = matchMedia("(pointer: coarse)").matches;

/** @param {Room} shown */
function stateOf({ role, link, inStep, leading }) {
  if (leading.isOver.value) return "taken";
  if (link.isGone.value) return "ended";
  if (role !== "member" && (leading.isAlone.value || !link.isHeard.value)) return "alone";
  if (!link.isHeard.value) return inStep.isFollowing.value ? "unheard" : "unheard-alone";
  if (link.state.value.n === 0) return "connecting";
  if (role === "member") return inStep.isFollowing.value ? "following" : "wandering";
  if (!inStep.isFollowing.value) return "not-in-step";
  return here.value === null ? "unseen" : "leading";
}

/** @param {{shown: Room}} props */
function TeacherParts({ shown }) {
  const { link, leading, inStep } = shown;
  const isOver = link.isGone.value || leading.isOver.value;
  return [
    h(CodeButton, { key: "code", shown }),
    h("span", { key: "members", class: "room-members" }, membersOf(shown)),
    leading.refusal.value === null
      ? h(Line, { key: "line", shown })
      : h("p", { key: "line", class: "room-line not-in-step", role: "alert" }, leading.refusal.value),
    h(NextStep, { key: "next" }),
    isOver ? null : h(LostCount, { key: "lost", shown }),
    inStep.isFollowing.value || isOver
      ? null
      : button(
          { key: "back", class: "button primary", onClick: () => shown.inStep.follow() },
          say("room-back"),
        ),
    isOver ? null : h(AskButton, { key: "ask" }),
    isOver ? null : h(VariantsButton, { key: "variants" }),
    isOver ? null : h(CardButton, { key: "card", shown }),
    isOver || isSmall.value ? null : h(ProjectorButton, { key: "projector" }),
  ];
}

/** @param {{shown: Room}} props */
function ProjectorParts({ shown }) {
  return [
    h("span", { key: "code", class: "room-code" }, say("room-at", { code: shown.code })),
    h("span", { key: "members", class: "room-members" }, membersOf(shown)),
    h(VariantsHidden, { key: "variants" }),
    stateOf(shown) === "leading" ? null : h(Line, { key: "line", shown }),
  ];
}

/** @param {Room} shown */
function membersOf({ link }) {
  return say("room-members", { count: link.state.value.members });
}

/** @param {{shown: Room}} props */
function CodeButton({ shown }) {
  return button(
    {
      class: "button room-code",
      title: say("room-about"),
      "aria-label": say("room-at", { code: shown.code }),
      onClick: () => (sheetIsOpen.value = true),
    },
    shown.code,
  );
}

/** @param {{shown: Room}} props */
function CardButton({ shown }) {
  return button(
    {
      title: `${say("key-card")} (j)`,
      "aria-pressed": cardIsOpen.value ? "true" : "false",
      onClick: () => shown.showCard(!cardIsOpen.peek()),
    },
    say("room-card"),
  );
}

function ProjectorButton() {
  return button(
    {
      title: say("room-projector-means"),
      "aria-pressed": hasProjector.value ? "true" : "false",
      onClick: openProjector,
    },
    h(Icon, { name: "present", size: 16 }),
    say("room-projector"),
  );
}
