/**
 * Owns the notation of the graph's unfolded groups in an address: the shortened keys of the groups, as in
 * `r3.0,m5.12`. Pure.
 *
 * Groups are written by their keys and not by their positions, because positions depend on the layout.
 */

/** The maximum number of characters of a notation. A longer notation is omitted from the address. */
const MOST = 400;

/** @type {Record<string, string>} */
const LETTERS = { call: "c", module: "m", round: "r", rounds: "s" };

/**
 * Writes which groups are unfolded: `all`, `none`, the codes of these groups, or `-` and the codes of the
 * other groups if these are fewer; null if it is too long for an address.
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
 * The keys of the groups that a notation unfolds. Unknown keys are ignored.
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
 * Whether a string is a valid notation of unfolded groups.
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
