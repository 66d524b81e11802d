/** Owns the grouping of items by a key into lists. Pure. */

/**
 * Groups items by key, in the order of each key's first item.
 * @template T
 * @template K
 * @param {Iterable<T>} things
 * @param {(thing: T) => K} keyOf
 */
export function grouped(things, keyOf) {
  /** @type {Map<K, T[]>} */
  const found = new Map();
  for (const thing of things) addTo(found, keyOf(thing), thing);
  return found;
}

/**
 * Appends an item to the list of its key, and creates the list if there is none.
 * @template T
 * @template K
 * @param {Map<K, T[]>} lists
 * @param {K} key
 * @param {T} item
 */
export function addTo(lists, key, item) {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}
