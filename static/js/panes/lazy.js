/** Owns components that load later, when they are first needed. */

import { h, useEffect, useState } from "../../vendor/ui.js";

/** @import {ComponentType} from "../../vendor/ui.js" */

/**
 * A component that loads when it is first needed, so that the first picture appears sooner.
 * @param {{isAsked: boolean, load: () => Promise<ComponentType>}} props
 */
export function Lazy({ isAsked, load }) {
  const [{ View }, setLoaded] = useState({ View: /** @type {ComponentType | null} */ (null) });
  useEffect(() => {
    if (isAsked && View === null) void load().then((loaded) => setLoaded({ View: loaded }));
  }, [isAsked]);
  return View === null ? null : h(View, null);
}
