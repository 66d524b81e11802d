/** Owns how a picture gets onto the page: a described tree of SVG elements, written to the keyed elements that are there. */

const NAMESPACE = "http://www.w3.org/2000/svg";

/** @typedef {{tag: string, key: string, attributes: Record<string, string | number>, children: Shape[], text: string | null}} Shape */
/** @typedef {Record<string, string | number | boolean | null | undefined>} Given */
/** @typedef {Shape | string | null | false | undefined | Child[]} Child */

/**
 * Describes one element. Text is only ever text; an attribute that is null or false is left out.
 * @param {string} tag
 * @param {Given} given `key` tells siblings apart from one step to the next
 * @param {...Child} children
 * @returns {Shape}
 */
export function el(tag, given, ...children) {
  const { key = "", ...rest } = given;
  /** @type {Shape["attributes"]} */
  const attributes = {};
  for (const [name, value] of Object.entries(rest)) {
    if (value === null || value === undefined || value === false) continue;
    attributes[name] = typeof value === "number" ? Math.round(value * 100) / 100 : value === true ? "" : value;
  }
  const flat = /** @type {(Shape | string | null | false | undefined)[]} */ (children.flat(4)).filter((child) => child !== null && child !== undefined && child !== false);
  const text = flat.filter((child) => typeof child === "string").join("");
  const shapes = /** @type {Shape[]} */ (flat.filter((child) => typeof child !== "string"));
  return { tag, key: String(key), attributes, children: shapes, text: shapes.length === 0 ? text : null };
}

/**
 * Makes the children of `parent` those described: same key, same element. Drawing twice changes nothing.
 * @param {Element} parent
 * @param {Shape[]} shapes
 */
export function patch(parent, shapes) {
  const known = new Map();
  for (const child of [...parent.childNodes]) {
    if (child instanceof Element) known.set(nameOf(child), child);
    else child.remove();
  }
  /** @type {Element | null} */
  let before = null;
  for (const [number, shape] of shapes.entries()) {
    const key = `${shape.tag}/${shape.key || number}`;
    const element = known.get(key) ?? made(shape, key);
    known.delete(key);
    const place = /** @type {ChildNode | null} */ (before === null ? parent.firstChild : before.nextSibling);
    if (place !== element) parent.insertBefore(element, place);
    write(element, shape);
    before = element;
  }
  for (const element of known.values()) element.remove();
}

/** @type {WeakMap<Element, string>} */
const names = new WeakMap();

/** @param {Element} element */
function nameOf(element) {
  return names.get(element) ?? element;
}

/** @param {Shape} shape @param {string} key */
function made(shape, key) {
  const element = document.createElementNS(NAMESPACE, shape.tag);
  names.set(element, key);
  return element;
}

/** @param {Element} element @param {Shape} shape */
function write(element, shape) {
  for (const { name } of [...element.attributes]) if (!(name in shape.attributes)) element.removeAttribute(name);
  for (const [name, value] of Object.entries(shape.attributes)) {
    if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
  }
  if (shape.text === null || shape.children.length > 0) patch(element, shape.children);
  else if (element.textContent !== shape.text) element.textContent = shape.text;
}
