/** Owns the parts of a room on the page: its bar, its dialogs, and the teacher's mouse pointer. */

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

/** Switches presenter mode on in this window only. The stored setting stays. */
function presentHere() {
  const usual = readStored("presenting") ?? "off";
  isPresenting.value = true;
  writeStored("presenting", usual);
}
