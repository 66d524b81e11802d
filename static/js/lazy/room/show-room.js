/** Adds the elements of a room to the page: its bar, its dialogs, and the mark of the teacher's mouse. */

import { h, render } from "../../../vendor/ui.js";
import { readStored, writeStored } from "../../io/browser-storage.js";
import { loadStylesheet } from "../../io/stylesheets.js";
import { isPresenting } from "../../state/preferences.js";
import { RoomBar } from "./bar.js";
import { JoinCard } from "./card.js";
import { listenToKeys } from "./keys.js";
import { LostCurve } from "./lost-curve.js";
import { PointedAt, sendPointer } from "./pointer.js";
import { Polls, preparePolls } from "./poll/polls.js";
import { beforeShowing, room } from "./room.js";
import { RoomSheet } from "./sheet.js";
import { Variants } from "./variants-button.js";

beforeShowing(preparePolls);

let isShown = false;

/** Renders the room that this page entered. */
export async function showRoom() {
  const role = room.peek()?.role;
  if (isShown || role === undefined) return;
  isShown = true;
  await loadStylesheet(new URL("../../../css/rooms.css", import.meta.url)).catch(() => undefined);
  document.documentElement.setAttribute("data-room", role);
  const place = document.createElement("div");
  place.id = "room";
  document.body.append(place);
  const parts = [RoomBar, RoomSheet, JoinCard, PointedAt, Polls, Variants].map((part) => h(part, null));
  render(h("div", null, ...parts, role === "teacher" ? h(LostCurve, null) : null), place);
  listenToKeys();
  if (role === "teacher") sendPointer();
  if (role === "projector") presentHere();
}

/** Turns on presenter mode in this window, without changing the stored preference. */
function presentHere() {
  const usual = readStored("presenting") ?? "off";
  isPresenting.value = true;
  writeStored("presenting", usual);
}
