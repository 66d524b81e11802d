/**
 * Owns the entry of the chunk of rooms. The chunk is loaded on the page of a room, and by the dialog for
 * sharing, which opens rooms.
 */

import { loadPart } from "../../state/words.js";
import { OpenRoom } from "./open-room.js";
import { enter } from "./room.js";
import { showRoom } from "./show-room.js";

export { RoomKeys } from "./keys.js";

/**
 * Loads the words of the button that opens a room, and returns the button. The button is in the dialog for
 * sharing.
 */
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
