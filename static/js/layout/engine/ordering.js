/**
 * Owns the order of points within their rows, with few edge crossings: medians of neighbours, then exchanges
 * of adjacent points. Pure.
 */

/**
 * A graph in rows. Edges lead from each row to the next. `ups`, `downs`: the neighbours of each point.
 * @typedef {{rowOf: number[], ups: number[][], downs: number[][], count: number}} Rowed
 */

/** @typedef {number[][]} Nest the groups around each point, the outermost first */

const SWEEPS = 12;

/**
 * Several orders of the points in their rows, each with few edge crossings and improved from a different
 * initial order. The first result keeps the inputs of a Node in their order where possible.
 * @param {Rowed} rowed
 * @param {Nest} nest
 * @returns {{rows: number[][], crossings: number}[]} `rows`: points by row
 */
export function ordersOf(rowed, nest) {
  return [
    begun(rowed, rowed.downs, rowed.ups, false),
    begun(rowed, rowed.downs, rowed.ups, true),
    begun(rowed, rowed.ups, rowed.downs, false),
    begun(rowed, rowed.ups, rowed.downs, true),
  ].map((rows) => improved(rowed, rows, nest));
}

/**
 * An initial order: the points of each row in the order in which a depth-first search reaches them. The
 * search starts at the points without neighbours in `behind`.
 * @param {Rowed} rowed
 * @param {number[][]} behind
 * @param {number[][]} ahead
 * @param {boolean} isReversed
 */
function begun({ rowOf, count }, behind, ahead, isReversed) {
  /** @type {number[][]} */
  const rows = Array.from({ length: count }, () => []);
  const isMet = new Uint8Array(rowOf.length);
  const starts = [...rowOf.keys()].filter((point) => behind[point]?.length === 0);
  const waiting = isReversed ? starts : starts.reverse();
  for (let point = waiting.pop(); point !== undefined; point = waiting.pop()) {
    if (isMet[point]) continue;
    isMet[point] = 1;
    rows[rowOf[point] ?? 0]?.push(point);
    const next = ahead[point] ?? [];
    for (const other of isReversed ? next : [...next].reverse()) waiting.push(other);
  }
  return rows;
}

/**
 * @param {Rowed} rowed
 * @param {number[][]} begun
 * @param {Nest} nest
 */
function improved(rowed, begun, nest) {
  const order = new Order(rowed, begun, nest);
  order.gather();
  order.exchange();
  let best = { crossings: order.crossings(), rows: order.copy() };
  for (let sweep = 0; sweep < SWEEPS && best.crossings > 0; sweep += 1) {
    order.sweep(sweep % 2 === 0, sweep % 4 > 1);
    order.gather();
    order.exchange();
    const crossings = order.crossings();
    if (crossings < best.crossings) best = { crossings, rows: order.copy() };
  }
  return best;
}

class Order {
  /**
   * @param {Rowed} rowed
   * @param {number[][]} rows
   * @param {Nest} nest
   */
  constructor({ rowOf, ups, downs }, rows, nest) {
    this.nest = nest;
    this.ups = ups;
    this.downs = downs;
    this.rows = rows;
    this.at = new Int32Array(rowOf.length);
    for (const row of rows) this.#number(row);
  }

  /** @param {number[]} row */
  #number(row) {
    for (const [at, point] of row.entries()) this.at[point] = at;
  }

  copy() {
    return this.rows.map((row) => [...row]);
  }

  /**
   * Sorts each row by the medians of its neighbours in the row before.
   * @param {boolean} isUpward
   * @param {boolean} isMirrored whether the right one of two points with the same median comes first
   */
  sweep(isUpward, isMirrored) {
    const rows = isUpward ? this.rows : [...this.rows].reverse();
    const near = isUpward ? this.downs : this.ups;
    for (const row of rows.slice(1)) {
      const medians = new Map(row.map((point) => [point, this.#median(near[point] ?? [])]));
      const movable = row.filter((point) => (medians.get(point) ?? -1) >= 0);
      if (isMirrored) movable.reverse();
      movable.sort((a, b) => (medians.get(a) ?? 0) - (medians.get(b) ?? 0));
      let next = 0;
      for (const [at, point] of row.entries()) {
        if ((medians.get(point) ?? -1) < 0) continue;
        row[at] = /** @type {number} */ (movable[next]);
        next += 1;
      }
      this.#number(row);
    }
  }

  /** @param {number[]} near */
  #median(near) {
    if (near.length === 0) return -1;
    const places = near.map((point) => this.at[point] ?? 0).sort((a, b) => a - b);
    const middle = places.length >> 1;
    if (places.length % 2 === 1) return places[middle] ?? 0;
    return ((places[middle - 1] ?? 0) + (places[middle] ?? 0)) / 2;
  }

  /**
   * Puts the boxes of a group next to each other in each row, and the groups in the same order in all rows.
   */
  gather() {
    if (this.nest.every((groups) => groups.length === 0)) return;
    /** @type {Map<number, {sum: number, count: number}>} */
    const sums = new Map();
    for (const row of this.rows) {
      for (const [at, point] of row.entries()) {
        for (const group of this.nest[point] ?? []) {
          const { sum, count } = sums.get(group) ?? { sum: 0, count: 0 };
          sums.set(group, { sum: sum + at - row.length / 2, count: count + 1 });
        }
      }
    }
    const means = new Map([...sums].map(([group, { sum, count }]) => [group, sum / count]));
    for (const row of this.rows) {
      const half = row.length / 2;
      const places = new Map(
        row.map((point, at) => [
          point,
          [...(this.nest[point] ?? []).map((group) => means.get(group) ?? 0), at - half],
        ]),
      );
      row.sort((a, b) => this.#apart(a, b, places));
      this.#number(row);
    }
  }

  /**
   * Compares two points for their order in a row: by the outermost groups that contain only one of the two
   * points.
   * @param {number} a
   * @param {number} b
   * @param {Map<number, number[]>} places
   */
  #apart(a, b, places) {
    const [left, right] = [this.nest[a] ?? [], this.nest[b] ?? []];
    let level = 0;
    while (level < left.length && left[level] === right[level]) level += 1;
    const by = (places.get(a)?.[level] ?? 0) - (places.get(b)?.[level] ?? 0);
    return by || (left[level] ?? -1) - (right[level] ?? -1) || (this.at[a] ?? 0) - (this.at[b] ?? 0);
  }

  /** Exchanges neighbours if that reduces crossings. */
  exchange() {
    for (let left = 20, isBetter = true; isBetter && left > 0; left -= 1) {
      isBetter = false;
      for (const row of this.rows) {
        for (let at = 0; at + 1 < row.length; at += 1) {
          const [a, b] = [/** @type {number} */ (row[at]), /** @type {number} */ (row[at + 1])];
          if (this.nest[a]?.at(-1) !== this.nest[b]?.at(-1)) continue;
          if (this.#between(a, b) <= this.#between(b, a)) continue;
          [row[at], row[at + 1]] = [b, a];
          [this.at[a], this.at[b]] = [at + 1, at];
          isBetter = true;
        }
      }
    }
  }

  /**
   * The number of crossings between the edges of two points if the first point is on the left.
   * @param {number} a
   * @param {number} b
   */
  #between(a, b) {
    let count = 0;
    for (const near of [this.ups, this.downs])
      for (const left of near[a] ?? [])
        for (const right of near[b] ?? []) if ((this.at[left] ?? 0) > (this.at[right] ?? 0)) count += 1;
    return count;
  }

  crossings() {
    let count = 0;
    for (const row of this.rows) {
      const ends = row.flatMap((point) =>
        (this.ups[point] ?? []).map((other) => this.at[other] ?? 0).sort((a, b) => a - b),
      );
      for (const [at, end] of ends.entries())
        for (let next = at + 1; next < ends.length; next += 1) if (end > (ends[next] ?? 0)) count += 1;
    }
    return count;
  }
}
