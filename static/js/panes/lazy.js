/** Wraps components whose code is loaded when they are first needed. */

import { h, useEffect, useState } from "../../vendor/ui.js";

/** @import {ComponentType} from "../../vendor/ui.js" */

/**
 * Loads a component when `isAsked` is first true, and shows it from then on. The first picture appears
 * sooner if the rest of the page is loaded later.
 * @param {{isAsked: boolean, load: () => Promise<ComponentType>}} props
 */
export function Lazy({ isAsked, load }) {
  const [{ View }, setLoaded] = useState({ View: /** @type {ComponentType | null} */ (null) });
  useEffect(() => {
    if (isAsked && View === null) void load().then((loaded) => setLoaded({ View: loaded }));
  }, [isAsked]);
  return View === null ? null : h(View, null);
}
