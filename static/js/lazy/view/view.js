/**
 * Writes the view of a step into an address, and applies it from an address. A view consists of language,
 * zoom, open groups, pinned and hidden names, and the question that "Why?" answers. An address is untrusted
 * input: invalid values are ignored, and no value is stored as a preference.
 */

import { effect } from "../../../vendor/ui.js";
import { codesOf, isFoldCodes, openBy } from "../../run/stops/fold-codes.js";
import { askedIn } from "../../run/stops/why-address.js";
import { ask, asked } from "../../state/asked.js";
import { existingNames, pins, showPins } from "../../state/pins.js";
import { isLinked, linked, replay, zoom } from "../../state/store.js";
import { LANGUAGES, language, speakForNow } from "../../state/words.js";

/** @import {RunLayouts} from "../../state/layouts.js" */

/** The maximum number of pinned names and of hidden names in an address, and of characters of one name. */
const NAMES = { count: 20, characters: 80 };
/** The maximum number of characters of a view in a link. Names beyond this maximum are omitted. */
const MOST = 1400;
const ZOOM = { least: 0.02, most: 50 };

/** The current view of the single run, in the format of an address; "": no single run is shown. */
export function viewNow() {
  const alone = replay.peek()?.alone;
  if (!alone) return "";
  const [graph, memory] = [alone.layouts.graph.peek(), alone.layouts.memory.peek()];
  const said = [`lang=${language.peek()}`];
  if (zoom.peek() !== 1) said.push(`zoom=${Number(zoom.peek().toFixed(3))}`);
  if (graph.by !== "all") said.push(`folds=${graph.by}`);
  for (const [name, { groups, open }] of /** @type {const} */ ([
    ["open", graph],
    ["rows", memory],
  ])) {
    const keys = groups.map(({ key }) => key);
    const codes = keys.length === 0 ? null : codesOf(keys, open);
    if (codes !== null) said.push(`${name}=${codes}`);
  }
  const question = asked.peek();
  if (question !== null) said.push(`why=${question.written}`);
  const { pinned, hidden } = pins.peek();
  for (const [name, names] of /** @type {const} */ ([
    ["pin", pinned],
    ["hide", hidden],
  ]))
    for (const each of existingNames(alone.index, names).slice(0, NAMES.count)) {
      const written = `${name}=${encoded(each)}`;
      const isShort = each.length <= NAMES.characters && said.join("&").length + written.length < MOST;
      if (isShort) said.push(written);
    }
  return said.join("&");
}

/**
 * Applies the view in an address. Language, pinned and hidden names change at once, and other values apply
 * to the shown run, or to the next run. Pins do not change if the address contains neither a language nor
 * pins.
 * @param {URLSearchParams} view
 */
export async function showAs(view) {
  const tag = LANGUAGES.find((each) => each === view.get("lang"));
  if (tag !== undefined && tag !== language.peek()) await speakForNow(tag);
  if (["lang", "pin", "hide"].some((name) => view.has(name))) showPins(pinsIn(view));
  const isOfLink = linked.peek() !== null;
  const end = effect(() => {
    const alone = replay.value?.alone;
    if (!alone) return;
    queueMicrotask(() => {
      end();
      if (isOfLink && !isLinked.peek()) return;
      if (view.has("why")) ask(askedIn(alone.index, view.get("why")));
      void arrange(alone.layouts, view);
    });
  });
}

/**
 * Applies the view of another page, which this page follows. This page keeps its own zoom and language.
 * @param {URLSearchParams} view
 */
export async function followView(view) {
  showPins(pinsIn(view));
  const alone = replay.peek()?.alone;
  if (!alone) return;
  ask(askedIn(alone.index, view.get("why")));
  await fold(alone.layouts, view);
}

/**
 * The names that an address pins and hides.
 * @param {URLSearchParams} view
 */
export function pinsIn(view) {
  const [pinned, hidden] = [namesIn(view, "pin"), namesIn(view, "hide")];
  return { pinned, hidden: hidden.filter((name) => !pinned.includes(name)) };
}

/**
 * Applies the zoom in an address to the shown run, and opens the groups that the address names.
 * @param {RunLayouts} layouts
 * @param {URLSearchParams} view
 */
export async function arrange(layouts, view) {
  const wanted = Number(view.get("zoom") ?? 1);
  if (wanted >= ZOOM.least && wanted <= ZOOM.most) zoom.value = wanted;
  await fold(layouts, view);
}

/**
 * @param {RunLayouts} layouts
 * @param {URLSearchParams} view
 */
async function fold(layouts, view) {
  const by = layouts.graph.peek().kinds.find((kind) => kind === view.get("folds"));
  if (by !== undefined && by !== layouts.graph.peek().by) await layouts.foldBy(by);
  await turn(view.get("open"), layouts.graph.peek(), (open) => layouts.openOnly(open));
  await turn(view.get("rows"), layouts.memory.peek(), (open) => layouts.showStorages(open));
}

/**
 * @param {string | null} written
 * @param {{groups: {key: string}[], open: Set<string>}} shown
 * @param {(open: Set<string>) => Promise<unknown>} show
 */
async function turn(written, { groups, open }, show) {
  if (written === null || !isFoldCodes(written)) return;
  const wanted = openBy(
    groups.map(({ key }) => key),
    written,
  );
  if (wanted.size !== open.size || [...wanted].some((key) => !open.has(key))) await show(wanted);
}

/**
 * @param {URLSearchParams} view
 * @param {string} name
 */
function namesIn(view, name) {
  const names = view.getAll(name).slice(0, NAMES.count);
  return [...new Set(names.filter((each) => each !== "" && each.length <= NAMES.characters))];
}

/**
 * Encodes a name for an address. The address in a QR code uses the same encoding.
 * @param {string} name
 */
function encoded(name) {
  const wellFormed = name.replaceAll(/\p{Surrogate}/gu, "\ufffd");
  return encodeURIComponent(wellFormed).replaceAll(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16)}`,
  );
}
