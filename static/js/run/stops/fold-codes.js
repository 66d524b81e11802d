/**
 * Owns the notation of open groups in an address: their shortened keys, as `r3.0,m5.12`. Pure.
 *
 * The notation has keys instead of positions, because positions depend on the layout.
 */

/** The maximum length of a list. A longer list is omitted. */
const MOST = 400;

/** @type {Record<string, string>} */
const LETTERS = { call: "c", module: "m", round: "r", rounds: "s" };

/**
 * The notation of the open groups: `all`, `none`, their codes, or `-` and the codes of the folded groups;
 * null if the notation is too long for an address.
 * @param {readonly string[]} keys of all groups
 * @param {ReadonlySet<string>} open
 * @returns {string | null}
 */
export function codesOf(keys, open) {
  const shown = keys.filter((key) => open.has(key));
  if (shown.length === keys.length) return "all";
  if (shown.length === 0) return "none";
  const isMost = shown.length > keys.length / 2;
  const listed = isMost ? keys.filter((key) => !open.has(key)) : shown;
  const codes = listed.map(codeOf);
  const written = (isMost ? "-" : "") + codes.join(",");
  return written.length > MOST || codes.includes("") ? null : written;
}

/**
 * The open groups that a notation lists. Unknown keys are ignored.
 * @param {readonly string[]} keys of all groups
 * @param {string} written
 * @returns {Set<string>}
 */
export function openBy(keys, written) {
  if (written === "all") return new Set(keys);
  const isOthers = written.startsWith("-");
  const codes = new Set(written.slice(isOthers ? 1 : 0, MOST + 1).split(","));
  return new Set(keys.filter((key) => codes.has(codeOf(key)) !== isOthers));
}

/**
 * Whether a string is a notation of open groups.
 * @param {string} written
 */
export function isFoldCodes(written) {
  return written.length <= MOST && /^(all|none|-?l?[cmrs][\d.]+~*(,l?[cmrs][\d.]+~*)*)$/.test(written);
}

/** @param {string} key */
function codeOf(key) {
  const [, loop = "", kind = "", numbers = "", more = ""] =
    /^(loop )?([a-z]+)(\d[\d.]*)(\+*)$/.exec(key) ?? [];
  const letter = LETTERS[kind];
  return letter === undefined ? "" : `${loop && "l"}${letter}${numbers}${more.replaceAll("+", "~")}`;
}
