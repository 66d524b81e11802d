/**
 * Owns the rendering of pictures: a described tree of SVG elements, patched into the keyed elements of the
 * page.
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
 * Describes one element. Text is always plain text; an attribute that is null or false is left out.
 * @param {string} tag
 * @param {Given} given `key` identifies an element among its siblings across steps
 * @param {...Child} children
 * @returns {Shape}
 */
export function el(tag, given, ...children) {
  const { key = "", ...rest } = given;
  /** @type {Shape["attributes"]} */
  const attributes = {};
  for (const [name, value] of Object.entries(rest)) {
    if (value === null || value === undefined || value === false) continue;
    attributes[name] =
      typeof value === "number" ? Math.round(value * 100) / 100 : value === true ? "" : value;
  }
  const flat = /** @type {(Shape | string | null | false | undefined)[]} */ (children.flat(4)).filter(
    (child) => child !== null && child !== undefined && child !== false,
  );
  const text = flat.filter((child) => typeof child === "string").join("");
  const shapes = /** @type {Shape[]} */ (flat.filter((child) => typeof child !== "string"));
  return { tag, key: String(key), attributes, children: shapes, text: shapes.length === 0 ? text : null };
}

/**
 * Makes the children of `parent` match the description: same key, same element. What is described as before
 * is not touched, so a step costs what differs; reading the DOM back would cost more than writing it.
 * Idempotent.
 * @param {Element} parent
 * @param {Shape[]} shapes
 */
export function patch(parent, shapes) {
  const old = drawn.get(parent) ?? emptied(parent);
  /** @type {Map<string, Element>} */
  const now = new Map();
  /** @type {Element | null} */
  let before = null;
  for (const [number, shape] of shapes.entries()) {
    const key = `${shape.tag}/${shape.key || number}`;
    const element = old.get(key) ?? document.createElementNS(NAMESPACE, shape.tag);
    old.delete(key);
    now.set(key, element);
    const place = /** @type {ChildNode | null} */ (before === null ? parent.firstChild : before.nextSibling);
    if (place !== element) parent.insertBefore(element, place);
    write(element, shape);
    before = element;
  }
  for (const element of old.values()) element.remove();
  drawn.set(parent, now);
}

/**
 * The children of an element by key, as they were last described.
 * @type {WeakMap<Element, Map<string, Element>>}
 */
const drawn = new WeakMap();

/**
 * How an element was last described.
 * @type {WeakMap<Element, Shape>}
 */
const shapes_of = new WeakMap();

/**
 * A parent that was not drawn before has no children of ours.
 * @param {Element} parent
 * @returns {Map<string, Element>}
 */
function emptied(parent) {
  parent.replaceChildren();
  return new Map();
}

/** @type {Shape} */
const BLANK = { tag: "", key: "", attributes: {}, children: [], text: null };

/**
 * @param {Element} element
 * @param {Shape} shape
 */
function write(element, shape) {
  const old = shapes_of.get(element) ?? BLANK;
  if (old === shape) return;
  shapes_of.set(element, shape);
  for (const name in old.attributes) if (!(name in shape.attributes)) element.removeAttribute(name);
  for (const name in shape.attributes) {
    if (old.attributes[name] !== shape.attributes[name])
      element.setAttribute(name, String(shape.attributes[name]));
  }
  if (shape.children.length > 0) {
    patch(element, shape.children);
  } else if (old.children.length > 0 || (old.text ?? "") !== (shape.text ?? "")) {
    drawn.delete(element);
    element.textContent = shape.text ?? "";
  }
}
