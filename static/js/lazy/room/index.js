/**
 * Entry of the chunk of rooms: only the page of a room loads it, and the dialog of sharing, which opens one.
 */

import { loadPart } from "../../state/words.js";
import { OpenRoom } from "./open-room.js";
import { enter } from "./room.js";
import { showRoom } from "./show-room.js";

export { RoomKeys } from "./keys.js";

/** The button of the dialog of sharing, once its words are there. */
export async function openRoomButton() {
  await loadPart("room");
  return OpenRoom;
}

/**
 * Make the page that of the room that its address names.
 * @param {string} code
 */
export async function enterRoom(code) {
  await enter(code);
  await showRoom();
}
