/**
 * Computes the style of a described shape from the page's own style sheet, in light mode, so that exported
 * pictures need no style sheet of their own. Supports only the selectors and values that stage.css uses.
 * Pure.
 */

/** @typedef {{tag: string, classes: Set<string>}} Link an element on the path from the picture to a shape */
/** @typedef {{isMetBy: (chain: Link[]) => boolean, isChild: boolean}} Compound */
/** @typedef {{compounds: Compound[], weight: number, values: Map<string, string>, place: number}} Rule */
/** @typedef {(chain: Link[]) => (name: string) => string} Looks */

const PROPERTIES = new Set([
  ...["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity"],
  ...["font-size", "font-weight", "font-family", "text-anchor"],
]);

/**
 * Matches one part of a compound CSS selector, such as a class. The arguments of `:is` and `:not` are
 * captured.
 */
const PART = /:(is|not)\(([^()]*)\)|([.#:]*)([\w-]+)|\[[^\]]*\]|\*|:+/gy;

/**
 * Parses a style sheet, and returns a function that computes the style of an element from the chain of
 * elements that leads to it.
 * @param {string} css
 * @returns {Looks}
 */
export function looksOf(css) {
  const { rules, variables } = read(css);
  /** @type {Map<string, Map<string, string>>} */
  const known = new Map();
  return (chain) => {
    const key = chain.map(({ tag, classes }) => `${tag}.${[...classes].join(".")}`).join(" ");
    const values = known.get(key) ?? valuesOf(rules, variables, chain);
    known.set(key, values);
    return (name) => values.get(name) ?? "";
  };
}

/** @param {string} css */
function read(css) {
  /** @type {Rule[]} */
  const rules = [];
  /** @type {Map<string, string>} */
  const variables = new Map();
  for (const [selectors, body] of blocks(css)) {
    const declared = declarations(body);
    if (selectors.trim() === ":root")
      for (const [name, value] of declared) if (!variables.has(name)) variables.set(name, value);
    const values = new Map(declared.filter(([name]) => PROPERTIES.has(name)));
    if (values.size === 0) continue;
    for (const selector of split(selectors)) {
      const read = compoundsOf(selector);
      if (read !== null) rules.push({ ...read, values, place: rules.length });
    }
  }
  rules.sort((a, b) => a.weight - b.weight || a.place - b.place);
  return { rules, variables };
}

/**
 * Yields the selectors and the declarations of each rule in a style sheet. At-rules such as `@media` are
 * skipped, because they do not apply to an exported picture.
 * @param {string} css
 * @returns {Generator<[string, string]>}
 */
function* blocks(css) {
  const plain = css.replace(/\/\*.*?\*\//gs, "");
  let start = 0;
  for (let at = plain.indexOf("{"); at >= 0; at = plain.indexOf("{", start)) {
    let depth = 1;
    let end = at + 1;
    for (; depth > 0 && end < plain.length; end++) {
      if (plain[end] === "{") depth += 1;
      else if (plain[end] === "}") depth -= 1;
    }
    const head = plain.slice(start, at);
    if (!head.includes("@")) yield [head, plain.slice(at + 1, end - 1)];
    start = end;
  }
}

/**
 * @param {string} body
 * @returns {[string, string][]}
 */
function declarations(body) {
  return body.split(";").flatMap((each) => {
    const at = each.indexOf(":");
    return at < 0 ? [] : [[each.slice(0, at).trim(), each.slice(at + 1).trim()]];
  });
}

/**
 * Splits a list of selectors at the commas outside of parentheses.
 * @param {string} selectors
 */
function split(selectors) {
  return selectors.split(/,(?![^(]*\))/).map((each) => each.trim());
}

/**
 * Splits a CSS selector into its compound selectors, from the last to the first. Null: the selector cannot
 * match anything in an exported picture.
 * @param {string} selector
 * @returns {{compounds: Compound[], weight: number} | null}
 */
function compoundsOf(selector) {
  /** @type {Compound[]} */
  const compounds = [];
  let weight = 0;
  let isChild = false;
  for (const word of selector.replaceAll(/\s*>\s*/g, " > ").split(/\s+(?![^(]*\))/)) {
    if (word === ">") {
      isChild = true;
      continue;
    }
    const read = compound(word);
    if (read === null) return null;
    compounds.unshift({ isMetBy: read.isMetBy, isChild });
    weight += read.weight;
    isChild = false;
  }
  return { compounds, weight };
}

/**
 * @param {string} text
 * @returns {{isMetBy: (chain: Link[]) => boolean, weight: number} | null}
 */
function compound(text) {
  /** @type {((chain: Link[]) => boolean)[]} */
  const tests = [];
  let weight = 0;
  for (const [, pseudo, inner = "", mark = "", name = ""] of text.matchAll(PART)) {
    if (pseudo === undefined && mark === "" && name !== "") {
      tests.push((chain) => chain.at(-1)?.tag === name);
      weight += 1;
    } else if (mark === ".") {
      tests.push((chain) => chain.at(-1)?.classes.has(name) === true);
      weight += 1000;
    } else if (pseudo !== undefined) {
      const anyOf = split(inner).map(compoundsOf);
      if (anyOf.includes(null)) return null;
      const any = (/** @type {Link[]} */ chain) => anyOf.some((one) => one && isMet(one.compounds, chain));
      tests.push(pseudo === "is" ? any : (chain) => !any(chain));
      weight += Math.max(...anyOf.map((one) => one?.weight ?? 0));
    } else return null;
  }
  return { isMetBy: (chain) => tests.every((test) => test(chain)), weight };
}

/**
 * @param {Rule[]} rules by specificity, the highest last
 * @param {Map<string, string>} variables
 * @param {Link[]} chain
 */
function valuesOf(rules, variables, chain) {
  /** @type {Map<string, string>} */
  const values = new Map();
  const important = new Set();
  for (const rule of rules) {
    if (!isMet(rule.compounds, chain)) continue;
    for (const [name, value] of rule.values) {
      const isImportant = value.endsWith("!important");
      if (important.has(name) && !isImportant) continue;
      if (isImportant) important.add(name);
      values.set(name, resolved(value.replace(/\s*!important$/, ""), variables));
    }
  }
  return values;
}

/**
 * @param {Compound[]} compounds from the last of the selector to the first
 * @param {Link[]} chain
 * @returns {boolean}
 */
function isMet([last, ...before], chain) {
  if (last === undefined) return true;
  if (!last.isMetBy(chain)) return false;
  if (before.length === 0) return true;
  for (let above = chain.length - 1; above > 0; above--) {
    if (isMet(before, chain.slice(0, above))) return true;
    if (last.isChild) return false;
  }
  return false;
}

/**
 * The value of a CSS property, with variables replaced by their values, and `max()` of several lengths
 * replaced by the largest.
 * @param {string} value
 * @param {Map<string, string>} variables
 * @returns {string}
 */
function resolved(value, variables) {
  const filled = value.replaceAll(/var\((--[\w-]+)(?:,\s*([^()]*))?\)/g, (_, name, otherwise = "") =>
    resolved(variables.get(name) ?? otherwise, variables),
  );
  const lengths = filled.startsWith("max(") ? [...filled.matchAll(/[\d.]+(?=px)/g)].map(Number) : [];
  return lengths.length > 0 ? `${Math.max(...lengths)}px` : filled;
}
