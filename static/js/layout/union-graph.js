/** Owns the union graph of a trace: boxes, edges and their sizes, before placement. Pure. */

import { clip, nested, shortName } from "../run/values/format.js";
import { everName, gradName, numberedName } from "../run/naming/naming.js";
import { shortened } from "../run/naming/short-names.js";
import { monoWidth } from "../run/values/text-width.js";
import { withRoom } from "../run/values/suspects.js";
import { unreachedIn } from "../run/values/unreached.js";

/** @import {Edge, Node, SavedTensor} from "../run/trace.d.ts" */
/** @import {GraphBox, Index, State} from "../run/types.d.ts" */
/** @import {Measures} from "../run/types.d.ts" */

/**
 * @typedef {object} Part A box without a position.
 * @property {string} key
 * @property {number} node
 * @property {"node" | "bucket" | "none" | "group" | "unreached"} shape
 * @property {number} width
 * @property {number} height
 * @property {number} body
 * @property {{id: number, x: number, y: number, width: number}[]} pockets relative to the box
 * @property {number} around the innermost group around the box; -1: none
 * @property {{group: number, nodes: Set<number>} | null} fold its contents, if it is a folded group
 * @property {GraphBox["cut"]} [cut]
 * @property {GraphBox["unreached"]} [unreached]
 */
/**
 * @typedef {{key: string, node: number, edge: number, from: string, to: string, merged: string[]}} Line
 *   `merged`: keys of the edges that a fold merges into this one
 */
/** @typedef {{parts: Part[], lines: Line[]}} Union */

export const BOX = {
  head: 52,
  gap: 10,
  edge: 10,
  band: 34,
  none: 34,
  size: 15,
  small: 12.5,
  stack: 12,
  more: 20,
  tag: 13,
  around: 24,
  cut: { width: 176, height: 30 },
};

/**
 * Sizes in px of boxes and pockets, which show saved tensors. `first` is the position of the first line of
 * text, `apart` the distance between lines. `below` has sizes for the space below a box: `band` is the
 * height for name tags, which begin at `tags`, and `root` is the middle of the gradient with which a
 * backward begins. `bare` is the height of this space without tags and gradient, `bucket` its height below
 * the gradient of a leaf. `terse` has the minimum distances for large text. The `bare` of `terse` has room
 * for the value of a gradient.
 */
const LINES = {
  usual: {
    node: { height: BOX.head, first: 22, apart: 19, foot: 2 },
    pocket: { height: 54, first: 21, apart: 21, gap: BOX.gap },
    bucket: { height: 62, first: 25, apart: 21 },
    below: { band: BOX.band, tags: 11, root: 22, bare: BOX.band, bucket: 8 },
  },
  terse: {
    node: { height: 46, first: 19, apart: 18, foot: 0 },
    pocket: { height: 47, first: 18, apart: 19, gap: 7 },
    bucket: { height: 54, first: 21, apart: 19 },
    below: { band: 30, tags: 8, root: 18, bare: 14, bucket: 14 },
  },
};

/** @param {Measures} measures */
export function linesOf({ terse }) {
  return terse ? LINES.terse : LINES.usual;
}

/**
 * The name and value of a leaf's gradient take two lines if one line would exceed `letters` characters and
 * two lines are at most `share` times as wide.
 */
const LONG_BUCKET = { letters: 16, share: 0.7 };

/** The maximum number of saved tensors that a Node's box shows. Further saved tensors are only counted. */
const MOST_POCKETS = 48;

/**
 * The maximum number of boxes for leaves that have no Node. The last of these boxes counts all further
 * leaves.
 */
const MOST_UNREACHED = 12;

/**
 * The maximum length in characters of a saved tensor's label: of the attribute's name, such as `self`, and
 * of the tensor's name.
 */
const MOST_NAMES = { slot: 12, name: 12 };

/** The maximum length of a group's title. */
export const MOST_TITLE = 26;

/**
 * Sizes in px of an open group's frame: the margin around its contents, and the height of its title. At the
 * bottom the margin is only `foot`, because a box already has space for tags below it.
 */
export const FRAME = { margin: 12, title: 22, foot: 4 };

/** The values for a box that is in no group. */
const LOOSE = { around: -1, fold: null };

/**
 * An AccumulateGrad with at most this number of uses has one box. With more uses, it has a box for each use,
 * because the edges to one box would cross the whole graph.
 */
const MOST_SHARED = 4;

/**
 * Builds the graph of all Nodes that ever exist in a run, in order of creation. An AccumulateGrad that is
 * used in a loop or has many edges gets one box per edge.
 * @param {Index} index
 * @param {Measures} measures
 * @returns {Union}
 */
export function unionOf(index, measures) {
  const spread = spreadOf(index);
  const texts = textsOf(index, measures);
  const { cuts } = unreachedIn(index);
  /** @type {Part[]} */
  const parts = [];
  /** @type {Line[]} */
  const lines = [];
  for (const node of index.nodes) {
    const isBucket = isAccumulate(node);
    if (!isBucket) parts.push(boxOf(index, node, measures, texts));
    else if (!spread.has(node.id)) parts.push(bucketOf(node, String(node.id), measures, texts));
    for (const [number, edge] of node.edges.entries())
      lines.push(lineOf({ index, measures, spread, texts, parts }, node, number, edge));
  }
  const whole = parts.map((part) => (part.shape === "none" ? part : withCut(part, cuts.get(part.node))));
  return { parts: [...whole, ...unreachedParts(index, measures)], lines };
}

/**
 * @typedef {{
 *   names: Map<number, number>,
 *   tags: Map<number, number>,
 *   buckets: Map<number, string>,
 *   tagged: Set<number>,
 * }} Texts `names`, `tags`: by Node the length of the longest name and of its tag; `buckets`: by
 * AccumulateGrad the widest text; `tagged`: the Nodes with something below
 */

/**
 * Measures the lengths of texts before any box is made, because an AccumulateGrad that is used in a loop has
 * a box in every round.
 * @param {Index} index
 * @param {Measures} measures
 * @returns {Texts}
 */
function textsOf(index, { grad }) {
  /** @type {Texts["names"]} */
  const names = new Map();
  /** @type {Texts["tags"]} */
  const tags = new Map();
  for (const tensor of index.tensors) {
    for (const [, fact] of tensor.grad_fn ?? []) {
      if (fact?.kind !== "grad_fn") continue;
      const name = everName(index, tensor.id) ?? "";
      names.set(fact.node, Math.max(names.get(fact.node) ?? 0, name.split(" · ")[0]?.length ?? 0));
      tags.set(fact.node, Math.max(tags.get(fact.node) ?? 0, shortened(index, name, MOST_NAMES.name).length));
    }
  }
  const buckets = new Map(
    index.nodes
      .filter(isAccumulate)
      .map(({ id, variable }) => [
        id,
        `${bucketLabel(index, numberedName(index, variable ?? null) ?? "")}: ${withRoom(index, variable, longestGrad(index, variable, grad))}`,
      ]),
  );
  // a backward begins at a Node that no edge leads to, and its gradient takes the place of a tag
  const used = new Set(index.nodes.flatMap(({ edges }) => edges.map((edge) => edge?.node)));
  const begins = index.nodes.map(({ id }) => id).filter((id) => !used.has(id));
  return { names, tags, buckets, tagged: new Set([...names.keys(), ...begins]) };
}

/** @param {Node} node */
export function isAccumulate(node) {
  return node.name.endsWith("AccumulateGrad");
}

/**
 * The AccumulateGrads that get one box per edge, because many Nodes use them, or because one line of code
 * uses them repeatedly.
 * @param {Index} index
 * @returns {Set<number>}
 */
function spreadOf(index) {
  /** @type {Map<number, {count: number, lines: Set<number | string>, users: Set<number>}>} */
  const uses = new Map();
  for (const node of index.nodes) {
    for (const edge of node.edges) {
      if (edge === null) continue;
      const use = uses.get(edge.node) ?? { count: 0, lines: new Set(), users: new Set() };
      uses.set(edge.node, use);
      use.count += 1;
      use.users.add(statementOf(index, node));
      use.lines.add(
        index.stops[index.stop_of.get(node.made_by ?? -1) ?? -1]?.place ?? -statementOf(index, node),
      );
    }
  }
  return new Set(
    [...uses]
      .filter(([, { count, lines, users }]) => count > MOST_SHARED || users.size > lines.size)
      .map(([id]) => id),
  );
}

/**
 * The stop whose step created a Node; a negative number that no other Node has if there is no such stop.
 * @param {Index} index
 * @param {Node} node
 */
function statementOf(index, node) {
  return index.stop_of.get(node.made_by ?? -1) ?? -1 - node.id;
}

/**
 * @param {{index: Index, measures: Measures, spread: Set<number>, texts: Texts, parts: Part[]}} into
 * @param {Node} node
 * @param {number} number
 * @param {Edge | null} edge
 */
function lineOf({ index, measures, spread, texts, parts }, node, number, edge) {
  const key = `${node.id}.${number}`;
  const from = String(node.id);
  if (edge === null) {
    parts.push({
      key: `none${key}`,
      node: node.id,
      shape: "none",
      width: measures.terse ? 38 : 44,
      height: BOX.none,
      body: BOX.none,
      pockets: [],
      ...LOOSE,
    });
    return { key, node: node.id, edge: number, from, to: `none${key}`, merged: [] };
  }
  const target = /** @type {Node} */ (index.nodes[edge.node]);
  if (isAccumulate(target) && spread.has(target.id)) {
    parts.push(bucketOf(target, `${target.id}@${key}`, measures, texts));
    return { key, node: node.id, edge: number, from, to: `${target.id}@${key}`, merged: [] };
  }
  return { key, node: node.id, edge: number, from, to: String(target.id), merged: [] };
}

/**
 * The box of a Node, large enough for its texts at every stop: the second line, each saved tensor, and the
 * name tags below.
 * @param {Index} index
 * @param {Node} node
 * @param {Measures} measures
 * @param {Texts} texts
 * @returns {Part}
 */
function boxOf(index, node, measures, texts) {
  const { box, compact, terse } = measures;
  const { node: head, pocket: slot, below } = linesOf(measures);
  const all = index.saved_of[node.id] ?? [];
  const saved = all.slice(0, MOST_POCKETS);
  const widths = saved.map((each) => Math.max(box.pocket, pocketWidth(index, each, compact)));
  const perRow = saved.length > 4 ? box.perRow : box.perRow - 1;
  /** @type {Part["pockets"]} */
  const pockets = [];
  let right = 0;
  for (let start = 0; start < saved.length; start += perRow) {
    let x = BOX.edge;
    for (let at = start; at < Math.min(start + perRow, saved.length); at += 1) {
      const width = widths[at] ?? 0;
      pockets.push({
        id: /** @type {{id: number}} */ (saved[at]).id,
        x,
        y: head.height + (start / perRow) * (slot.height + slot.gap),
        width,
      });
      x += width + BOX.gap;
    }
    right = Math.max(right, x);
  }
  const rows = Math.ceil(saved.length / perRow);
  const more = all.length > saved.length ? BOX.more : 0;
  const body = head.height + (rows === 0 ? head.foot : rows * (slot.height + slot.gap) + more);
  const width = Math.max(
    box.least,
    right,
    monoWidth(shortName(node.name), BOX.size) + 26,
    secondLine(terse ? 0 : (texts.names.get(node.id) ?? 0)),
    monoWidth("0".repeat(texts.tags.get(node.id) ?? 0), BOX.tag) + BOX.around,
  );
  return {
    key: String(node.id),
    node: node.id,
    shape: "node",
    width: Math.ceil(width),
    height: body + (texts.tagged.has(node.id) ? below.band : below.bare),
    body,
    pockets,
    ...LOOSE,
  };
}

/**
 * The second line of a box: "line 12 · grad_fn of total".
 * @param {number} name length of the name
 */
function secondLine(name) {
  return name === 0 ? 110 : 142 + Math.min(14, name) * BOX.small * 0.6;
}

/**
 * @param {Index} index
 * @param {SavedTensor} saved
 * @param {boolean} compact
 */
function pocketWidth(index, saved, compact) {
  const state = compact
    ? ""
    : `${pocketChip(saved)} ${saved.available === false ? "? not shown" : "✓ current"}`;
  return Math.ceil(
    Math.max(
      monoWidth(pocketLabel(index, saved, null), compact ? 15 : 13) + (compact ? 22 : 30),
      monoWidth(state, BOX.small) + 14,
    ),
  );
}

/**
 * The storage and version of a saved tensor: `S4·v0`.
 * @param {SavedTensor} saved
 */
export function pocketChip({ geometry, version }) {
  return geometry.storage === null ? "" : `S${geometry.storage}${version === null ? "" : `·v${version}`}`;
}

/**
 * The label of a saved tensor in its Node's box, such as `self = d`. The label is `self = d (2)` for the
 * second tensor that was named `d`, while the name refers to another tensor.
 * @param {Index} index
 * @param {{name: string, tensor: number | null}} saved
 * @param {State | null} state null: independent of a stop
 * @param {{slot: number, name: number}} [most] maximum length of each
 */
export function pocketLabel(index, { name: slot, tensor }, state, most = MOST_NAMES) {
  const [name, numbered] = [everName(index, tensor), numberedName(index, tensor)];
  if (name === undefined || numbered === undefined) return clip(slot, most.slot + 4);
  const isNow =
    name !== numbered && state?.tensors.get(tensor ?? -1)?.labels.some(({ text }) => text === name);
  return `${clip(slot, most.slot)} = ${shortened(index, isNow ? name : numbered, most.name)}`;
}

/**
 * The label of a bucket: `w.grad`.
 * @param {Index} index
 * @param {string} name of the leaf
 * @param {number} [most] maximum length of the name
 */
export function bucketLabel(index, name, most = 14) {
  return gradName(shortened(index, name, most));
}

/**
 * Divides a gradient's label, such as `w.grad: None`, into lines.
 * @param {string} text
 * @param {boolean} isLong whether the name has a separate line
 */
export function bucketLines(text, isLong) {
  const at = text.lastIndexOf(".grad: ");
  return isLong && at > 0 ? [text.slice(0, at), text.slice(at)] : [text];
}

/** @param {string[]} lines */
function longestOf(lines) {
  return lines.reduce((most, line) => Math.max(most, line.length), 0);
}

/**
 * @param {Node} node
 * @param {string} key
 * @param {Measures} measures
 * @param {Texts} texts
 * @returns {Part}
 */
function bucketOf(node, key, measures, { buckets }) {
  const size = bucketSize(buckets.get(node.id) ?? "", measures);
  return { key, node: node.id, shape: "bucket", ...size, pockets: [], ...LOOSE };
}

/**
 * @param {string} text its widest text
 * @param {Measures} measures
 */
function bucketSize(text, measures) {
  const { box, compact } = measures;
  const { bucket, below } = linesOf(measures);
  const { letters, share } = LONG_BUCKET;
  const isLong =
    compact && text.length > letters && longestOf(bucketLines(text, true)) <= share * text.length;
  const widest = Math.max(...bucketLines(text, isLong).map((line) => monoWidth(line, compact ? 15 : 13)));
  const width = Math.max(box.bucket, widest + 38);
  const body = bucket.height + (isLong ? bucket.apart : 0);
  return { width: Math.ceil(width), height: body + below.bucket, body };
}

/**
 * The longest text for the value of a leaf's gradient at any step.
 * @param {Index} index
 * @param {number | undefined} variable
 * @param {number} most
 */
function longestGrad(index, variable, most) {
  let longest = "None";
  for (const [, grad] of index.tensors[variable ?? -1]?.grad ?? []) {
    const geometry = index.tensors[grad ?? -1]?.geometry?.[0]?.[1];
    for (const [, contents] of index.storages[geometry?.storage ?? -1]?.contents ?? []) {
      const text = nested(contents, geometry?.shape ?? [], most);
      if (text.length > longest.length) longest = text;
    }
  }
  return longest;
}

/**
 * A box with room below for the sign of a cut graph.
 * @param {Part} part
 * @param {GraphBox["cut"]} cut
 * @returns {Part}
 */
function withCut(part, cut) {
  if (cut === undefined) return part;
  const [width, height] = [Math.max(part.width, BOX.cut.width), part.height + BOX.cut.height];
  return { ...part, width, height, cut };
}

/**
 * Boxes without edges for leaves that have no Node and never get a gradient. The last box counts the leaves
 * beyond the maximum number of boxes.
 * @param {Index} index
 * @param {Measures} measures
 * @returns {Part[]}
 */
function unreachedParts(index, measures) {
  const leaves = [...unreachedIn(index).leaves.values()].filter(
    ({ tensor }) => index.lookups.leaves_of()(tensor).length === 0,
  );
  return leaves.slice(0, MOST_UNREACHED).map((leaf, number) => {
    const isLast = number === MOST_UNREACHED - 1 && leaves.length > MOST_UNREACHED;
    const label = bucketLabel(index, numberedName(index, leaf.tensor) ?? "");
    const part = {
      key: `leaf${leaf.tensor}`,
      node: -1,
      shape: /** @type {const} */ ("unreached"),
      ...bucketSize(`${label}: None`, measures),
      pockets: [],
      unreached: { ...leaf, others: isLast ? leaves.length - number : 0 },
      ...LOOSE,
    };
    return withCut(part, leaf.line === 0 ? undefined : leaf);
  });
}
