/**
 * Owns the times at which modules run: the frames of the snippet's `forward` functions, and the spans in
 * which torch's modules create Nodes. Pure.
 */

/** @import {Step} from "../../run/trace.d.ts" */
/** @import {Index, Scope} from "../../run/types.d.ts" */
/** @import {Span} from "./groups.js" */

/**
 * For each Node, the tick at which the step that made the Node began.
 * @param {Index} index
 */
export function creationTicks(index) {
  return index.nodes.map((node) => index.steps[node.made_by ?? -1]?.began ?? node.born);
}

/**
 * The label of a module: its name in its parent module, such as `encoder`. If that name is a number, the
 * label contains the module's type, such as `(0) Linear`.
 * @param {Index} index
 * @param {number} id
 * @returns {Scope}
 */
export function moduleScope(index, id) {
  const { name, type } = index.modules[id] ?? { type: "?" };
  return {
    kind: "module",
    name: name === undefined ? type : /^\d+$/.test(name) ? `(${name}) ${type}` : name,
  };
}

/**
 * For each call of a `forward` that the snippet defines, the module that is called.
 * @param {Index} index
 * @returns {Map<number, number>}
 */
export function modulesOfFrames(index) {
  /** @type {Map<number, number>} */
  const found = new Map();
  for (const node of index.nodes) {
    const modules = wayTo(node.module, (id) => index.modules[id]?.parent);
    if (modules.length === 0) continue;
    let next = 0;
    for (const frame of wayTo(index.steps[node.made_by ?? -1]?.frame, (id) => index.frames[id]?.parent)) {
      const [method, type] = (index.frames[frame]?.function ?? "").split(".").reverse();
      const at =
        method === "forward"
          ? modules.findIndex((id, place) => place >= next && index.modules[id]?.type === type)
          : -1;
      if (at < 0) continue;
      if (!found.has(frame)) found.set(frame, /** @type {number} */ (modules[at]));
      next = at + 1;
    }
  }
  return found;
}

/**
 * The spans of modules whose `forward` is not the snippet's code, such as torch's own. A span contains the
 * Nodes that one call of a module creates one after the other.
 * @param {Index} index
 * @param {number[]} ticks
 * @param {Set<number>} inFrames modules that have a frame instead
 * @returns {Span[]}
 */
export function moduleSpans(index, ticks, inFrames) {
  /** @type {Span[]} */
  const spans = [];
  /** @type {{module: number, made_by: number | null, from: number}[]} */
  let open = [];
  let last = 0;
  const close = (/** @type {number} */ depth) => {
    for (const { module, from } of open.slice(depth))
      spans.push({
        key: `module${module}.${from}`,
        scopes: [moduleScope(index, module)],
        from,
        until: last + 0.5,
      });
    open = open.slice(0, depth);
  };
  const made = index.nodes
    .filter((node) => node.variable === undefined)
    .sort((a, b) => (ticks[a.id] ?? 0) - (ticks[b.id] ?? 0));
  for (const node of made) {
    const { made_by } = node;
    const modules = wayTo(node.module, (id) => index.modules[id]?.parent).filter((id) => !inFrames.has(id));
    const other = modules.findIndex(
      (id, depth) =>
        open[depth]?.module !== id || isAgain(index, open[depth]?.made_by ?? null, made_by ?? null),
    );
    close(other < 0 ? modules.length : other);
    const tick = ticks[node.id] ?? 0;
    for (const module of modules.slice(open.length)) open.push({ module, made_by, from: tick });
    last = tick;
  }
  close(0);
  return spans;
}

/**
 * Whether one of two steps runs in a later round of a loop than the other. In a later round, the same line
 * calls the module again.
 * @param {Index} index
 * @param {number | null} one
 * @param {number | null} other
 */
function isAgain({ steps }, one, other) {
  const [before, after] = [statementsTo(steps, one), statementsTo(steps, other)];
  const at = after.findIndex((step, place) => step !== before[place]);
  const [was, is] = [before[at], after[at]];
  return (
    was !== undefined &&
    was.frame === is?.frame &&
    was.span?.line === is?.span?.line &&
    was.span?.file === is?.span?.file
  );
}

/**
 * The statements that contain a step, outermost first.
 * @param {readonly Step[]} steps
 * @param {number | null} id
 */
function statementsTo(steps, id) {
  const way = wayTo(id ?? undefined, (step) => steps[step]?.parent).map((step) => steps[step]);
  return way.filter((step) => step?.kind === "statement");
}

/**
 * The ids from the outermost ancestor to the given id.
 * @param {number | undefined} id
 * @param {(id: number) => number | undefined} around
 */
function wayTo(id, around) {
  /** @type {number[]} */
  const way = [];
  for (let inner = id; inner !== undefined; inner = around(inner)) way.unshift(inner);
  return way;
}
