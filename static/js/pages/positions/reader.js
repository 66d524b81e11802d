/** Walks through the description of a picture and converts each shape into boxes, lines and frames. Pure. */

import { curvesOf } from "./paths.js";
import { fillBelow, stripesIn } from "./hatch.js";
import { runsOf } from "./levels.js";
import { aroundOf, boundsOf, colour, dashOf, headOf, isCurve, linkOf, onWhite, placeOf } from "./shapes.js";
import { tablesOf } from "./tables.js";

/** @import {Shape} from "../../stage/svg.js" */
/** @import {Anchor, Figure, Frame, Line, Look, Outline, Place, Stroke} from "./figures.js" */
/** @import {Link, Looks} from "./styles.js" */
/** @import {Table} from "./tables.js" */

/** Classes of the groups that become one box with its text. */
const BOXES = new Set([
  ...[
    "pocket",
    "name-tag",
    "pill",
    "chip",
    "array-tag",
    "nameless",
    "retained",
    "tensor",
    "node",
    "storages",
  ],
]);
/** Classes of controls and of marks of the selection, which an exported picture does not need. */
const LEFT_OUT = new Set(["fold-sign", "chosen-frame", "cursor-frame", "pocket-hatch"]);

/**
 * The maximum number of boxes that the images of large tensors take in one export. Further storages are
 * exported with a histogram instead of an image.
 */
const MOST_RUNS = 6000;
/**
 * The maximum number of stale saved tensors that are drawn with stripes in one picture, because more stripes
 * would outnumber the edges of the graph.
 */
const MOST_HATCHED = 100;

export class Reader {
  /** @type {Figure[]} */ figures = [];
  /** @type {Table[]} */ tables = [];
  /** @type {Line[]} */ texts = [];
  /** @type {Stroke[]} */ strokes = [];
  /** @type {Frame[]} */ frames = [];
  /** @type {string[]} */ framed = [];
  /** @type {Frame[]} the fills below the stripes of stale saved tensors */ fills = [];
  /**
   * The id of each box in the export, by the box's key in the layout.
   * @type {Map<string, string>}
   */
  ids = new Map();
  /**
   * The figure or table that shows the cells of each storage, by the storage's id.
   * @type {Map<number, Place>}
   */
  cells = new Map();
  /** The id of the figure or table with the cells of the most recently converted storage. */
  #cells = "";
  /**
   * By wanted id, the number of figures that have wanted it so far.
   * @type {Map<string, number>}
   */
  #counts = new Map();
  #runs = 0;
  #hatched = 0;

  /**
   * @param {"graph" | "memory"} name
   * @param {Looks} looks
   */
  constructor(name, looks) {
    this.name = name;
    this.looks = looks;
  }

  /**
   * @param {Shape} shape
   * @param {Link[]} above
   * @param {string} owner the id of the box that contains the shape; "": none
   */
  read(shape, above, owner) {
    const { tag, attributes, children } = shape;
    const classes = new Set(String(attributes.class ?? "").split(" "));
    if (tag === "defs" || tag === "title" || [...classes].some((each) => LEFT_OUT.has(each))) return;
    const chain = [...above, { tag, classes }];
    if (tag !== "g") this.#single(shape, chain, classes);
    else if (classes.has("warning-sign")) this.#warning(shape, chain);
    else if (classes.has("summary-picture")) this.#levels(shape, chain);
    else if (classes.has("edge") && !classes.has("none")) this.#edge(shape, chain);
    else if (classes.has("name") || classes.has("window")) this.#pointer(shape, chain, classes, owner);
    else if (classes.has("storage")) this.#storage(shape, chain);
    else if ([...classes].some((each) => BOXES.has(each))) this.#box(shape, chain, classes, owner);
    else if (classes.has("group-frame")) this.#frame(shape, chain);
    else for (const child of children) this.read(child, chain, owner);
  }

  /**
   * Converts a shape that contains no other shapes.
   * @param {Shape} shape
   * @param {Link[]} chain
   * @param {Set<string>} classes
   */
  #single(shape, chain, classes) {
    const look = this.#look(chain);
    if (shape.tag === "text") this.texts.push(this.#line(shape, chain));
    else if (classes.has("row-back")) {
      if (look.fill !== "")
        this.frames.push({ ...placeOf(shape), ...look, inside: [], around: -1, isRound: true });
    } else if (classes.has("window-line") && !classes.has("window-filled"))
      this.#stroke({ ...shape, attributes: { d: aroundOf(shape) } }, look, "", "", null);
    else if (shape.tag === "rect") this.figures.push(this.#figure(shape, look, "mark"));
    else if (shape.tag === "circle")
      this.figures.push(this.#figure(shape, { ...look, fill: "" }, "mark", "circle"));
    else if (classes.has("arrow")) this.#arrowhead(shape, look);
    else if (classes.has("view-diamond"))
      this.figures.push({ ...this.#figure(shape, look, "mark", "diamond"), ...boundsOf(shape) });
    else if (shape.tag === "path") this.#stroke(shape, look, "", "", null);
  }

  /**
   * Converts a box together with its texts, then the other shapes inside the box.
   * @param {Shape} shape
   * @param {Link[]} chain
   * @param {Set<string>} classes
   * @param {string} owner
   */
  #box(shape, chain, classes, owner) {
    const { children, attributes } = shape;
    const links = (/** @type {Shape} */ child) => [...chain, linkOf(child)];
    const isOutline = (/** @type {Shape} */ { tag, attributes }) =>
      tag === "rect" || ["node-box", "pocket-fill"].includes(String(attributes.class));
    const main = /** @type {Shape} */ (children.find(isOutline));
    const id = this.#idOf(classes, attributes);
    const look = this.#look(links(main));
    const outline = classes.has("pocket") ? "note" : classes.has("bucket") ? "bucket" : undefined;
    const figure = this.#figure(main, look, id, outline);
    if (outline !== undefined) Object.assign(figure, boundsOf(main));
    const line = children.find((each) => String(each.attributes.class) === "pocket-line");
    if (line) Object.assign(figure, { ...this.#look(links(line)), fill: look.fill });
    figure.lines = children.filter(({ tag }) => tag === "text").map((text) => this.#line(text, links(text)));
    const rest = children.filter((child) => child !== main && child.tag !== "text");
    for (const child of rest)
      if (String(child.attributes.class).includes("sheet")) this.read(child, chain, id);
    this.figures.push(figure);
    const hatch = children.find((each) => each.attributes.class === "pocket-hatch");
    if (outline === "note" && hatch !== undefined && this.#hatched++ < MOST_HATCHED)
      this.#hatch(figure, chain, owner);
    if (attributes["data-box"] !== undefined) this.ids.set(String(attributes["data-box"]), figure.id);
    if (classes.has("group")) this.ids.set(shape.key, figure.id);
    for (const [place, child] of rest.entries()) {
      const look = String(child.attributes.class);
      const isRead = look.includes("sheet") || (line && look === "pocket-line") || child.tag === "rect";
      if (look === "name-line") this.#tagged(rest.slice(place, place + 3), chain, figure.id);
      else if (!isRead && look !== "name-arrow" && look !== "name-tag") this.read(child, chain, figure.id);
    }
  }

  /**
   * The stripes of a saved tensor of the Node `owner`.
   * @param {Figure} figure
   * @param {Link[]} chain
   * @param {string} owner
   */
  #hatch(figure, chain, owner) {
    const node = this.figures.find(({ id }) => id === owner);
    const look = this.#look([...chain, { tag: "path", classes: new Set(["hatch-line"]) }]);
    this.fills.push(...(node === undefined ? [] : fillBelow(node)), ...fillBelow(figure));
    this.strokes.push(...stripesIn(figure, { ...look, fill: "" }));
  }

  /**
   * Converts the name tag below a Node, with the line between them and the line's arrowhead.
   * @param {Shape[]} shapes
   * @param {Link[]} chain
   * @param {string} owner
   */
  #tagged([line, arrow, tag], chain, owner) {
    if (line === undefined || arrow === undefined || tag === undefined) return;
    this.read(tag, chain, owner);
    const look = this.#look([...chain, linkOf(line)]);
    this.#stroke(line, look, this.figures.at(-1)?.id ?? "", owner, arrow.children[0] ?? null);
  }

  /**
   * @param {Set<string>} classes
   * @param {Shape["attributes"]} attributes
   */
  #idOf(classes, attributes) {
    if (attributes["data-saved"] !== undefined) return `saved${attributes["data-saved"]}`;
    if (attributes["data-tensor"] !== undefined) return `tensor${attributes["data-tensor"]}`;
    if (attributes["data-node"] !== undefined) return `node${attributes["data-node"]}`;
    if (classes.has("group") || classes.has("storages")) return "group";
    if (classes.has("name-tag")) return "name";
    if (classes.has("chip")) return "gradient";
    return classes.has("pill") ? "version" : "mark";
  }

  /**
   * A unique id for a figure. If the wanted id ends with a number, the first figure that wants it gets it
   * unchanged.
   * @param {string} wanted
   */
  #unique(wanted) {
    const number = (this.#counts.get(wanted) ?? 0) + 1;
    this.#counts.set(wanted, number);
    if (!/\d$/.test(wanted)) return `${this.name}_${wanted}${number}`;
    return number === 1 ? wanted : `${wanted}_${number}`;
  }

  /**
   * @param {Shape} shape
   * @param {Look} look
   * @param {string} id
   * @param {Outline} [outline]
   * @returns {Figure}
   */
  #figure(shape, look, id, outline) {
    const isRound = Number(shape.attributes.rx ?? 0) > 2;
    const place = placeOf(shape);
    return {
      ...place,
      ...look,
      id: this.#unique(id),
      outline: outline ?? (isRound ? "round" : "box"),
      lines: [],
    };
  }

  /**
   * Converts an edge of the graph.
   * @param {Shape} shape
   * @param {Link[]} chain
   */
  #edge({ attributes, children }, chain) {
    const key = String(attributes["data-edge"]);
    for (const child of children) {
      const classes = new Set(String(child.attributes.class).split(" "));
      if (!classes.has("edge-line")) {
        if (!classes.has("arrow")) this.read(child, chain, "");
        continue;
      }
      const arrow = children.find((each) => each.attributes.class === "arrow");
      const look = this.#look([...chain, { tag: "path", classes }]);
      this.#stroke(child, look, `edge ${key}`, "", arrow ?? null);
    }
  }

  /**
   * Converts the line from a name to its tensor, or from a tensor to the cells that it reads.
   * @param {Shape} shape
   * @param {Link[]} chain
   * @param {Set<string>} classes
   * @param {string} owner
   */
  #pointer({ attributes, children }, chain, classes, owner) {
    const arrows = children.find((each) => /-arrow$/.test(String(each.attributes.class)));
    const before = this.figures.length;
    const others = children.filter((each) => each !== arrows && !isCurve(each));
    for (const child of others) this.read(child, chain, owner);
    const curve = children.find(isCurve);
    if (curve === undefined) return;
    const look = this.#look([...chain, { tag: "path", classes: new Set([String(curve.attributes.class)]) }]);
    const isName = classes.has("name");
    const from = isName ? (this.figures[before]?.id ?? "") : `tensor${attributes["data-window"]}`;
    this.#stroke(curve, look, from, isName ? owner : this.#cells, arrows?.children[0] ?? null);
  }

  /**
   * @param {Shape} shape
   * @param {Look} look
   * @param {string} from
   * @param {string} to
   * @param {Shape | null} arrow
   */
  #stroke({ attributes }, look, from, to, arrow) {
    const head = arrow === null ? null : headOf(arrow);
    for (const points of curvesOf(String(attributes.d))) {
      if (head !== null) points[points.length - 1] = head.base;
      this.strokes.push({ ...look, fill: "", from, to, points, tip: head?.tip ?? null });
    }
  }

  /**
   * Converts an arrowhead without a line.
   * @param {Shape} shape
   * @param {Look} look
   */
  #arrowhead(shape, look) {
    const { tip, base } = headOf(shape);
    const points = [base, base, base, base];
    this.strokes.push({ ...look, stroke: look.fill, fill: "", thick: 1, from: "", to: "", points, tip });
  }

  /**
   * Converts a storage. Its cells become tables.
   * @param {Shape} shape
   * @param {Link[]} chain
   */
  #storage({ attributes, children }, chain) {
    const isCell = (/** @type {Shape} */ { attributes }) =>
      /^(cell|cells-between)( |$)/.test(String(attributes.class ?? ""));
    const cells = children.filter(isCell).map((cell) => {
      const above = [...chain, { tag: "g", classes: new Set(String(cell.attributes.class).split(" ")) }];
      const rect = /** @type {Shape} */ (cell.children.find(({ tag }) => tag === "rect"));
      const link = { tag: "rect", classes: new Set([""]) };
      const lines = cell.children
        .filter(({ tag }) => tag === "text")
        .map((text) => this.#line(text, [...above, linkOf(text)]));
      return { ...placeOf(rect), ...this.#look([...above, link]), lines };
    });
    const id = `storage${attributes["data-storage"]}`;
    const before = this.figures.length;
    const tables = tablesOf(cells).map((table) => ({ ...table, id: this.#unique(id) }));
    this.tables.push(...tables);
    for (const child of children) if (!isCell(child)) this.read(child, chain, "");
    const shown = tables[0] ?? this.figures[before];
    this.#cells = shown?.id ?? "";
    if (shown) this.cells.set(Number(attributes["data-storage"]), shown);
  }

  /**
   * Converts the image of a large tensor. Adjacent squares of the same grey level become one box.
   * @param {Shape} shape
   * @param {Link[]} chain
   */
  #levels({ children }, chain) {
    const runs = children.flatMap((child) => {
      const look = this.#look([...chain, linkOf(child)]);
      const share = Number(child.attributes["fill-opacity"] ?? 1);
      const fill = onWhite(look.fill, share);
      return child.tag === "path" ? runsOf(child).map((place) => ({ place, fill })) : [];
    });
    this.#runs += runs.length;
    if (this.#runs > MOST_RUNS) return;
    const plain = { stroke: "", thick: 0, dash: "solid", outline: /** @type {const} */ ("box"), lines: [] };
    for (const { place, fill } of runs)
      this.figures.push({ ...place, ...plain, fill, id: this.#unique("mark") });
    for (const child of children) if (child.tag === "rect") this.read(child, chain, "");
  }

  /**
   * Converts the frame around an open group, and its title.
   * @param {Shape} shape
   * @param {Link[]} chain
   */
  #frame({ attributes, children }, chain) {
    const back = /** @type {Shape} */ (children[0]);
    const look = this.#look([...chain, linkOf(back)]);
    this.frames.push({ ...placeOf(back), ...look, inside: [], around: -1, isRound: true });
    this.framed.push(String(attributes["data-group"]));
    const title = children[1]?.children.find(({ tag }) => tag === "text");
    const above = [...chain, { tag: "g", classes: new Set(["fold"]) }];
    if (title) {
      const line = this.#line(title, [...above, linkOf(title)]);
      this.texts.push({ ...line, x: Number(back.attributes.x) + 12 });
    }
  }

  /**
   * @param {Shape} shape
   * @param {Link[]} chain
   */
  #warning({ children }, chain) {
    const [triangle] = children;
    if (triangle === undefined) return;
    const look = this.#look([...chain, linkOf(triangle)]);
    const figure = { ...this.#figure(triangle, look, "warning", "triangle"), ...boundsOf(triangle) };
    this.figures.push(figure);
    const { x, y, width, height } = figure;
    const mark = {
      text: "!",
      x: x + width / 2,
      y: y + height - 1.5,
      size: height * 0.72,
      colour: look.stroke,
    };
    this.texts.push({ ...mark, bold: true, sans: true, anchor: "middle" });
  }

  /**
   * @param {Link[]} chain
   * @returns {Look}
   */
  #look(chain) {
    const value = this.looks(chain);
    const share = Number(value("opacity") || 1);
    return {
      fill: onWhite(colour(value("fill"), "#000000"), share),
      stroke: onWhite(colour(value("stroke"), ""), share),
      thick: Number.parseFloat(value("stroke-width")) || 1,
      dash: dashOf(value("stroke-dasharray")),
    };
  }

  /**
   * @param {Shape} shape
   * @param {Link[]} chain
   * @returns {Line}
   */
  #line({ attributes, text }, chain) {
    const value = this.looks(chain);
    const weight = value("font-weight");
    return {
      text: text ?? "",
      x: Number(attributes.x),
      y: Number(attributes.y),
      size: Number(attributes["font-size"]) || Number.parseFloat(value("font-size")) || 13,
      bold: Number(weight) >= 600,
      sans: value("font-family").includes("Inter"),
      colour: colour(value("fill"), "#000000"),
      anchor: /** @type {Anchor} */ (value("text-anchor") || "start"),
    };
  }
}
