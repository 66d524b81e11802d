/** Owns the section of the share dialog with a link that contains the code itself. */

import { h, useEffect, useState } from "../../../vendor/ui.js";
import { PackedError, packed } from "../../io/packed-source.js";
import { say } from "../../state/words.js";
import { serverAddress } from "./address.js";
import { LinkRow } from "./link-row.js";

/** The maximum length of a link in characters, because mail and chat programs cut longer links. */
const MOST = 8000;

/**
 * @param {{source: string, at: string, isAlone: boolean}} props `at`: the step and view, appended to the
 *   link; `isAlone`: the dialog has no other link
 */
export function CodeLink({ source, at, isAlone }) {
  const [code, setCode] = useState(/** @type {string | null | undefined} */ (undefined));
  useEffect(() => {
    packed(source).then(setCode, (error) => {
      if (!(error instanceof PackedError)) throw error;
      setCode(null);
    });
  }, [source]);
  if (code === undefined) return null;
  const path = `/#code=${code}${at === "" ? "" : `&${at}`}`;
  const link = (serverAddress.value?.address ?? location.origin) + path;
  return h(
    "details",
    { class: "sharing-code", open: isAlone },
    h("summary", null, say("share-code")),
    h("p", { class: "sharing-quiet" }, say("share-code-hint")),
    code === null
      ? h("p", null, say("code-link-unsupported"))
      : link.length > MOST
        ? h("p", null, say("share-code-long", { length: link.length, most: MOST }))
        : [
            h(LinkRow, {
              key: "link",
              link,
              label: say("share-code-label"),
              wasCopied: false,
              isFirst: isAlone,
            }),
            h(
              "p",
              { key: "length", class: "sharing-quiet" },
              say("share-code-length", { length: link.length }),
            ),
          ],
  );
}
