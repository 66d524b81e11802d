/**
 * Renders pictures. A picture is described as a tree of SVG elements, and only the differences from the
 * previous description are applied to the page.
 */

const NAMESPACE = "http://www.w3.org/2000/svg";

/**
 * @typedef {{
 *   tag: string,
 *   key: string,
 *   attributes: Record<string, string | number>,
 *   children: Shape[],
 *   text: string | null,
 * }} Shape
 */
/** @typedef {Record<string, string | number | boolean | null | undefined>} Given */
/** @typedef {Shape | string | null | false | undefined | Child[]} Child */

/**
 * Describes one element. Text is always plain text. An attribute that is null or false is omitted.
 * @param {string} tag
 * @param {Given} given `key` identifies an element among its siblings across steps
 * @param {...Child} children
 * @returns {Shape}
 */
export function el(tag, given, ...children) {
  const { key = "" } = given;
  /** @type {Shape["attributes"]} */
  const attributes = {};
  for (const name in given) {
    const value = given[name];
    if (name === "key" || value === null || value === undefined || value === false) continue;
    attributes[name] =
      typeof value === "number" ? Math.round(value * 100) / 100 : value === true ? "" : value;
  }
  /** @type {Shape} */
  const shape = { tag, key: String(key), attributes, children: [], text: "" };
  add(shape, children);
  if (shape.children.length > 0) shape.text = null;
  return shape;
}

/**
 * @param {Shape} shape
 * @param {Child[]} children
 */
function add(shape, children) {
  for (const child of children) {
    if (typeof child === "string") shape.text += child;
    else if (Array.isArray(child)) add(shape, child);
    else if (child !== null && child !== undefined && child !== false) shape.children.push(child);
  }
}

/**
 * @typedef {{shape: Shape, element: Element, children: Drawn[]}} Drawn An element as it was last described
 */

/**
 * The descriptions and elements that were last drawn in each parent element.
 * @type {WeakMap<Element, Drawn[]>}
 */
const drawn = new WeakMap();

/**
 * Makes the children of `parent` match the given descriptions. Elements with the same key are reused, and
 * unchanged descriptions are skipped, so a step costs only its differences. The DOM is not read, because
 * reading would cost more than writing. The function is idempotent.
 * @param {Element} parent
 * @param {Shape[]} shapes
 */
export function patch(parent, shapes) {
  drawn.set(parent, patched(parent, drawn.get(parent) ?? emptied(parent), shapes));
}

/**
 * Removes all children of a parent that is drawn for the first time.
 * @param {Element} parent
 * @returns {Drawn[]}
 */
function emptied(parent) {
  parent.replaceChildren();
  return [];
}

/**
 * @param {Element} parent
 * @param {Drawn[]} old
 * @param {Shape[]} shapes
 * @returns {Drawn[]}
 */
function patched(parent, old, shapes) {
  if (old.length !== shapes.length || old.some(({ shape }, number) => !isSame(shape, shapes[number])))
    return sorted(parent, old, shapes);
  for (const [number, each] of old.entries()) write(each, /** @type {Shape} */ (shapes[number]));
  return old;
}

/**
 * Whether the shapes at the same position in two descriptions are drawn by the same element.
 * @param {Shape} old
 * @param {Shape | undefined} shape
 */
function isSame({ tag, key }, shape) {
  return tag === shape?.tag && key === shape.key;
}

/**
 * Updates the children of an element if some of them appear, disappear or change their order.
 * @param {Element} parent
 * @param {Drawn[]} old
 * @param {Shape[]} shapes
 */
function sorted(parent, old, shapes) {
  const keyOf = (/** @type {Shape} */ shape, /** @type {number} */ number) =>
    `${shape.tag}/${shape.key || number}`;
  const known = new Map(old.map((each, number) => [keyOf(each.shape, number), each]));
  const now = shapes.map((shape, number) => {
    const key = keyOf(shape, number);
    const each = known.get(key) ?? made(shape);
    known.delete(key);
    return each;
  });
  const kept = new Set(now);
  for (const each of old) if (!kept.has(each)) each.element.remove();
  let place = parent.firstChild;
  for (const [number, each] of now.entries()) {
    if (place === each.element) place = place.nextSibling;
    else parent.insertBefore(each.element, place);
    write(each, /** @type {Shape} */ (shapes[number]));
  }
  return now;
}

/**
 * @param {Shape} shape
 * @returns {Drawn}
 */
function made({ tag }) {
  const element = document.createElementNS(NAMESPACE, tag);
  return { element, shape: { tag, key: "", attributes: {}, children: [], text: "" }, children: [] };
}

/**
 * @param {Drawn} each
 * @param {Shape} shape
 */
function write(each, shape) {
  const { element, shape: old } = each;
  if (old === shape) return;
  each.shape = shape;
  for (const name in old.attributes) if (!(name in shape.attributes)) element.removeAttribute(name);
  for (const name in shape.attributes) {
    if (old.attributes[name] !== shape.attributes[name])
      element.setAttribute(name, String(shape.attributes[name]));
  }
  if (shape.children.length > 0) {
    if (old.text) element.textContent = "";
    each.children = patched(element, each.children, shape.children);
  } else if (old.children.length > 0 || old.text !== shape.text) {
    each.children = [];
    element.textContent = shape.text;
  }
}
