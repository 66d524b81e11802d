/**
 * Owns the network simplex method, which places points on a line. The method keeps the given minimum
 * distances between pairs of points and minimizes the weighted sum of these distances. Pure.
 *
 * The method is from Gansner, Koutsofios, North and Vo, "A Technique for Drawing Directed Graphs" (1993),
 * where it also computes both the rows and the columns.
 */

/** @typedef {{from: number, to: number, least: number, weight: number}} Distance from one point to a later */

/** The maximum number of tree exchanges per point. Only graphs constructed to be hard reach this maximum. */
const MOST_EXCHANGES = 4;

/**
 * The places of points. The smallest place is 0.
 * @param {number} count
 * @param {Distance[]} distances connect all points, without a cycle
 * @param {boolean} [isBalanced] whether points that can move without cost are centred
 * @returns {number[]}
 */
export function placesOnLine(count, distances, isBalanced = false) {
  const simplex = new Simplex(count, distances);
  simplex.solve();
  if (isBalanced) simplex.balance();
  const first = simplex.places.reduce((least, place) => Math.min(least, place), Infinity);
  return Array.from(simplex.places, (place) => place - first);
}

/** A spanning tree of distances without slack, improved until no exchange reduces the sum. */
class Simplex {
  /**
   * @param {number} count
   * @param {Distance[]} distances
   */
  constructor(count, distances) {
    this.count = count;
    this.from = Int32Array.from(distances, ({ from }) => from);
    this.to = Int32Array.from(distances, ({ to }) => to);
    this.least = Float64Array.from(distances, ({ least }) => least);
    /**
     * By point: the weights of the distances that begin at the point, minus the weights of those that end
     * there.
     */
    this.pull = new Float64Array(count);
    for (const { from, to, weight } of distances) {
      this.pull[from] = (this.pull[from] ?? 0) + weight;
      this.pull[to] = (this.pull[to] ?? 0) - weight;
    }
    const { begins, items } = incidentOf(count, this.from, this.to);
    /**
     * One list with the numbers of the distances at point 0, then at point 1, and so on; `incidentOf` has
     * the beginning of each section.
     */
    this.incident = items;
    this.incidentOf = begins;
    this.places = new Float64Array(count);
    /** Whether each distance is in the spanning tree. */
    this.isTree = new Uint8Array(distances.length);
    /**
     * For each point, the number of the distance that joins the point to its parent in the tree. `above` has
     * the parent.
     */
    this.hangs = new Int32Array(count);
    this.above = new Int32Array(count);
    /** The points in preorder: a point is followed by its subtree. */
    this.order = new Int32Array(count);
    this.begins = new Int32Array(count);
    this.sizes = new Int32Array(count);
    /**
     * The cut value of each point's edge to its parent in the tree: how much the weighted sum grows per
     * pixel that this edge becomes longer.
     */
    this.cuts = new Float64Array(count);
    this.stack = new Int32Array(count);
  }

  /** @param {number} distance */
  slack(distance) {
    const [from, to] = [this.from[distance] ?? 0, this.to[distance] ?? 0];
    return (this.places[to] ?? 0) - (this.places[from] ?? 0) - (this.least[distance] ?? 0);
  }

  /** Exchanges distances of the spanning tree until no exchange reduces the weighted sum. */
  solve() {
    this.#begin();
    this.#span();
    this.#hang();
    for (let left = MOST_EXCHANGES * this.count; left > 0; left -= 1) {
      const point = this.#worst();
      const entering = point < 0 ? -1 : this.#entering(point);
      if (entering < 0) return;
      this.#shift(point, this.slack(entering));
      this.isTree[this.hangs[point] ?? 0] = 0;
      this.isTree[entering] = 1;
      this.#hang();
    }
  }

  /** Centres the points that can move without a change of the weighted sum. */
  balance() {
    for (const point of this.order) {
      if ((this.hangs[point] ?? -1) < 0 || this.cuts[point] !== 0) continue;
      const entering = this.#entering(point);
      if (entering >= 0 && this.slack(entering) > 1) this.#shift(point, this.slack(entering) / 2);
    }
  }

  /** Places each point as far to the left as the minimum distances allow. */
  #begin() {
    const waiting = new Int32Array(this.count);
    for (const to of this.to) waiting[to] = (waiting[to] ?? 0) + 1;
    const ready = [...waiting.keys()].filter((point) => waiting[point] === 0);
    for (let next = 0; next < ready.length; next += 1) {
      const point = /** @type {number} */ (ready[next]);
      for (let at = this.incidentOf[point] ?? 0; at < (this.incidentOf[point + 1] ?? 0); at += 1) {
        const distance = this.incident[at] ?? 0;
        const to = this.to[distance] ?? 0;
        if (to === point) continue;
        this.places[to] = Math.max(
          this.places[to] ?? 0,
          (this.places[point] ?? 0) + (this.least[distance] ?? 0),
        );
        waiting[to] = (waiting[to] ?? 1) - 1;
        if (waiting[to] === 0) ready.push(to);
      }
    }
  }

  /**
   * Builds the first spanning tree. While some points are outside the tree, the tree moves until one of its
   * points is at exactly the minimum distance from a point outside, which then joins the tree.
   */
  #span() {
    const isIn = new Uint8Array(this.count);
    /** @type {number[]} */
    const members = [];
    const take = (/** @type {number} */ first) => {
      isIn[first] = 1;
      let next = members.length;
      members.push(first);
      for (; next < members.length; next += 1) {
        const point = /** @type {number} */ (members[next]);
        for (let at = this.incidentOf[point] ?? 0; at < (this.incidentOf[point + 1] ?? 0); at += 1) {
          const distance = this.incident[at] ?? 0;
          const other = this.#other(distance, point);
          if (isIn[other] || this.slack(distance) !== 0) continue;
          isIn[other] = 1;
          this.isTree[distance] = 1;
          members.push(other);
        }
      }
    };
    take(0);
    while (members.length < this.count) {
      let [best, least] = [-1, Infinity];
      for (let distance = 0; distance < this.from.length; distance += 1) {
        if (isIn[this.from[distance] ?? 0] === isIn[this.to[distance] ?? 0]) continue;
        const slack = this.slack(distance);
        if (slack < least) [best, least] = [distance, slack];
      }
      const isLeft = isIn[this.from[best] ?? 0] === 1;
      for (const point of members) this.places[point] = (this.places[point] ?? 0) + (isLeft ? least : -least);
      this.isTree[best] = 1;
      take((isLeft ? this.to : this.from)[best] ?? 0);
    }
  }

  /**
   * @param {number} distance
   * @param {number} point
   */
  #other(distance, point) {
    const from = this.from[distance] ?? 0;
    return from === point ? (this.to[distance] ?? 0) : from;
  }

  /** Walks the tree from the first point, and computes parents, preorder and cut values. */
  #hang() {
    const { stack, order, begins, hangs, above, cuts, sizes } = this;
    let [height, count] = [1, 0];
    stack[0] = 0;
    hangs[0] = -1;
    while (height > 0) {
      height -= 1;
      const point = stack[height] ?? 0;
      begins[point] = count;
      order[count] = point;
      count += 1;
      for (let at = this.incidentOf[point] ?? 0; at < (this.incidentOf[point + 1] ?? 0); at += 1) {
        const distance = this.incident[at] ?? 0;
        if (!this.isTree[distance] || distance === hangs[point]) continue;
        const other = this.#other(distance, point);
        hangs[other] = distance;
        above[other] = point;
        stack[height] = other;
        height += 1;
      }
    }
    cuts.set(this.pull);
    sizes.fill(1);
    for (let at = this.count - 1; at > 0; at -= 1) {
      const point = order[at] ?? 0;
      const upper = above[point] ?? 0;
      cuts[upper] = (cuts[upper] ?? 0) + (cuts[point] ?? 0);
      sizes[upper] = (sizes[upper] ?? 0) + (sizes[point] ?? 0);
      if (this.#hangsRight(point)) cuts[point] = -(cuts[point] ?? 0);
    }
  }

  /**
   * Whether a point is to the right of its parent in the tree.
   * @param {number} point
   */
  #hangsRight(point) {
    return this.to[this.hangs[point] ?? 0] === point;
  }

  /** The point with the most negative cut value; -1: none is negative. */
  #worst() {
    let [worst, least] = [-1, -1e-6];
    for (let at = 1; at < this.count; at += 1) {
      const point = this.order[at] ?? 0;
      const cut = this.cuts[point] ?? 0;
      if (cut < least) [worst, least] = [point, cut];
    }
    return worst;
  }

  /**
   * The distance that joins the tree if a point's edge to its parent leaves the tree; -1: none. This
   * distance has the least slack of all distances that stop the point's subtree from moving away from the
   * parent.
   * @param {number} point
   */
  #entering(point) {
    const first = this.begins[point] ?? 0;
    const last = first + (this.sizes[point] ?? 0);
    const isRight = this.#hangsRight(point);
    let [best, least] = [-1, Infinity];
    for (let walked = first; walked < last; walked += 1) {
      const inner = this.order[walked] ?? 0;
      for (let at = this.incidentOf[inner] ?? 0; at < (this.incidentOf[inner + 1] ?? 0); at += 1) {
        const distance = this.incident[at] ?? 0;
        const outer = this.#other(distance, inner);
        const place = this.begins[outer] ?? 0;
        if ((place >= first && place < last) || (this.to[distance] === outer) !== isRight) continue;
        const slack = this.slack(distance);
        if (slack < least || (slack === least && distance < best)) [best, least] = [distance, slack];
      }
    }
    return best;
  }

  /**
   * Moves the subtree of a point away from its parent.
   * @param {number} point
   * @param {number} by
   */
  #shift(point, by) {
    const first = this.begins[point] ?? 0;
    const step = this.#hangsRight(point) ? by : -by;
    for (let at = first; at < first + (this.sizes[point] ?? 0); at += 1) {
      const each = this.order[at] ?? 0;
      this.places[each] = (this.places[each] ?? 0) + step;
    }
  }
}

/**
 * Lists the distances at each point in one array, sorted by point.
 * @param {number} count
 * @param {Int32Array} from
 * @param {Int32Array} to
 */
function incidentOf(count, from, to) {
  const begins = new Int32Array(count + 1);
  for (const ends of [from, to]) for (const point of ends) begins[point + 1] = (begins[point + 1] ?? 0) + 1;
  for (let point = 0; point < count; point += 1)
    begins[point + 1] = (begins[point + 1] ?? 0) + (begins[point] ?? 0);
  const items = new Int32Array(2 * from.length);
  const next = begins.slice();
  for (let distance = 0; distance < from.length; distance += 1) {
    for (const point of [from[distance] ?? 0, to[distance] ?? 0]) {
      items[next[point] ?? 0] = distance;
      next[point] = (next[point] ?? 0) + 1;
    }
  }
  return { begins, items };
}
