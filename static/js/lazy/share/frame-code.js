/**
 * Owns the section of the share dialog with the HTML that embeds a link in another page. If the server does
 * not allow this, shows the setting with which its operator can.
 */

import { h } from "../../../vendor/ui.js";
import { language, say } from "../../state/words.js";
import { serverAddress } from "./address.js";

/** The setting with which an operator allows another site to embed links, with an example. */
const SETTING = "STEPGRAD_EMBED_ANCESTORS=https://course.example";

/** The size of the frame in px, as in the server's oEmbed. */
const SIZE = { width: 720, height: 540 };

/** @param {{path: string}} props */
export function FrameCode({ path }) {
  const server = serverAddress.value;
  const [, id, at = ""] = /^\/s\/([A-Za-z0-9]+)(?:#(.*))?$/.exec(path) ?? [];
  if (server === null || id === undefined) return null;
  return h(
    "div",
    { class: "sharing-frame" },
    server.embeds
      ? [
          h("p", { key: "what" }, say("share-embed")),
          h("textarea", {
            key: "code",
            rows: 4,
            readOnly: true,
            value: codeOf(`${server.address ?? location.origin}/embed/${id}`, at),
            onFocus: (/** @type {{currentTarget: HTMLTextAreaElement}} */ event) =>
              event.currentTarget.select(),
            "aria-label": say("share-embed-code"),
          }),
          h("p", { key: "height", class: "sharing-quiet" }, say("share-embed-height")),
        ]
      : [
          h("p", { key: "off" }, say("share-embed-off")),
          h(
            "details",
            { key: "setting" },
            h("summary", null, say("share-embed-operator")),
            h("p", null, say("share-embed-setting")),
            h("p", null, h("code", null, SETTING)),
          ),
        ],
  );
}

/**
 * @param {string} address
 * @param {string} at part of the link after the #
 */
function codeOf(address, at) {
  const asked = new URLSearchParams(at);
  const kept = new URLSearchParams(
    [...asked].filter(([name]) => name === "step" || name === "by").concat([["language", language.value]]),
  );
  const source = `${address}?${kept}`.replaceAll("&", "&amp;");
  return `<iframe src="${source}" title="Stepgrad" width="${SIZE.width}" height="${SIZE.height}" loading="lazy" style="border:0;max-width:100%"></iframe>`;
}
