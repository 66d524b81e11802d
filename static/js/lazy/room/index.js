/**
 * Owns the entry of the chunk of rooms. It is loaded on the page of a room, and by the dialog for sharing,
 * which opens rooms.
 */

import { loadPart } from "../../state/words.js";
import { OpenRoom } from "./open-room.js";
import { enter } from "./room.js";
import { showRoom } from "./show-room.js";

export { RoomKeys } from "./keys.js";

/** The button that opens a room, in the dialog for sharing. Loads its words first. */
export async function openRoomButton() {
  await loadPart("room");
  return OpenRoom;
}

/**
 * Turns the page into the page of a room.
 * @param {string} code
 */
export async function enterRoom(code) {
  await enter(code);
  await showRoom();
}
