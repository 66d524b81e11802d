/**
 * The entry point of the chunk for rooms. The chunk is loaded on the page of a room, and by the share
 * dialog, which has a button that opens a room.
 */

import { loadPart } from "../../state/words.js";
import { OpenRoom } from "./open-room.js";
import { enter } from "./room.js";
import { showRoom } from "./show-room.js";

export { RoomKeys } from "./keys.js";

/** Loads the texts for rooms, and returns the button of the share dialog that opens a room. */
export async function openRoomButton() {
  await loadPart("room");
  return OpenRoom;
}

/**
 * Joins a room, and adds the room's bar and dialogs to the page.
 * @param {string} code
 */
export async function enterRoom(code) {
  await enter(code);
  await showRoom();
}
