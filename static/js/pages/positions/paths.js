/** Converts the data of an SVG path into cubic Bézier curves. Pure. */

/** @typedef {[number, number]} Point */

/** The number of arguments of each command of a path. */
const TAKES = { M: 2, L: 2, H: 1, V: 1, C: 6, Q: 4, Z: 0 };

/** @typedef {keyof typeof TAKES} Command */

/**
 * The cubic Bézier curves of each subpath. A subpath with n curves has 3n + 1 control points.
 * @param {string} d
 * @returns {Point[][]}
 */
export function curvesOf(d) {
  /** @type {Point[][]} */
  const curves = [];
  let [x, y] = [0, 0];
  for (const [, command = "", written = ""] of d.matchAll(/([MLHVCQZ])([^MLHVCQZ]*)/gi)) {
    const numbers = [...written.matchAll(/-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?/gi)].map(Number);
    const kind = /** @type {Command} */ (command.toUpperCase());
    const isRelative = command !== kind;
    const takes = TAKES[kind];
    for (let at = 0; at === 0 || at + takes <= numbers.length; at += Math.max(1, takes)) {
      const points = pointsOf(kind, numbers.slice(at, at + takes), isRelative ? [x, y] : [0, 0], [x, y]);
      const line = curves.at(-1);
      if (kind === "M" && at === 0) curves.push(points);
      else if (kind === "Z") line?.push(...straight([x, y], /** @type {Point} */ (line[0])));
      else line?.push(...(kind === "C" ? points : curved(kind, [x, y], points)));
      [x, y] = curves.at(-1)?.at(-1) ?? [x, y];
      if (takes === 0) break;
    }
  }
  return curves.filter((line) => line.length > 1);
}

/**
 * @param {Command} kind
 * @param {number[]} numbers
 * @param {Point} origin
 * @param {Point} here
 * @returns {Point[]}
 */
function pointsOf(kind, numbers, [left, top], [x, y]) {
  if (kind === "H") return [[left + (numbers[0] ?? 0), y]];
  if (kind === "V") return [[x, top + (numbers[0] ?? 0)]];
  /** @type {Point[]} */
  const points = [];
  for (let at = 0; at + 1 < numbers.length; at += 2)
    points.push([left + (numbers[at] ?? 0), top + (numbers[at + 1] ?? 0)]);
  return points;
}

/**
 * @param {Command} kind
 * @param {Point} from
 * @param {Point[]} points
 * @returns {Point[]}
 */
function curved(kind, from, points) {
  const to = points.at(-1) ?? from;
  if (kind !== "Q") return straight(from, to);
  const by = points[0] ?? from;
  return [between(from, by, 2 / 3), between(to, by, 2 / 3), to];
}

/**
 * @param {Point} from
 * @param {Point} to
 * @returns {Point[]}
 */
function straight(from, to) {
  return [between(from, to, 1 / 3), between(from, to, 2 / 3), to];
}

/**
 * @param {Point} from
 * @param {Point} to
 * @param {number} share
 * @returns {Point}
 */
function between(from, to, share) {
  return [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
}
