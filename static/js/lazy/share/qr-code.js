/** Owns the QR code of a link, or the reason why there is none: a phone cannot reach a local address. */

import { h } from "../../../vendor/ui.js";
import { API } from "../../io/prefix.js";
import { say } from "../../state/words.js";
import { serverAddress } from "./address.js";

/**
 * The command that makes the server reachable from other devices; docs/install.md explains how safe this is.
 */
const COMMAND = 'make run ARGS="--host 0.0.0.0"';

/** @param {{path: string}} props */
export function QrCode({ path }) {
  const server = serverAddress.value;
  const [, id, at = ""] = /^\/s\/([A-Za-z0-9]+)(?:#(.*))?$/.exec(path) ?? [];
  if (server === null || id === undefined) return null;
  return h(
    "details",
    { class: "sharing-qr" },
    h("summary", null, say("share-qr")),
    server.address === null
      ? h(Unreachable, server)
      : h("img", {
          src: `${API}/snippets/${id}/qr.svg?${new URLSearchParams({ at })}`,
          alt: say("share-qr-of", { link: server.address + path }),
        }),
  );
}

/** @param {{nearby: string[], listens: boolean}} props */
function Unreachable({ nearby, listens }) {
  const [first] = nearby;
  if (first === undefined) return h("p", null, say("share-no-network"));
  return [
    h("p", { key: "why" }, say(listens ? "share-open-nearby" : "share-listen-nearby")),
    listens ? null : h("p", { key: "how" }, h("code", null, COMMAND)),
    h("p", { key: "where" }, listens ? h("a", { href: first }, first) : h("code", null, first)),
  ];
}
