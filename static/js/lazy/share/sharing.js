/**
 * Owns the share dialog: the link, its title and notes, its QR code, and the links created in this browser.
 */

import { h, useEffect, useState } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { unshare } from "../../session/actions.js";
import { readStored } from "../../io/browser-storage.js";
import { ownLink, ownLinks } from "../../session/links.js";
import { loadChunk, withChunk } from "../../panes/chunks.js";
import { API } from "../../io/prefix.js";
import { checkBox } from "../../panes/forms.js";
import { Lazy } from "../../panes/lazy.js";
import { Sheet } from "../../panes/modal.js";
import { sharing } from "../../state/store.js";
import { language, say } from "../../state/words.js";
import { serverAddress } from "./address.js";
import { FrameCode } from "./frame-code.js";
import { CodeLink } from "./code-link.js";
import { Headings } from "./headings.js";
import { LinkRow } from "./link-row.js";
import { OwnLinks } from "./own-links.js";
import { QrCode } from "./qr-code.js";
import { Ways } from "./ways.js";

/** @import {SharedCode} from "../../state/store.js" */

export function Sharing() {
  const shown = sharing.value;
  const close = () => (sharing.value = null);
  return h(
    Sheet,
    { name: "sharing", title: say("share"), isOpen: shown !== null, close },
    shown === null
      ? null
      : shown.path === null
        ? h(Unstored, { key: "unstored", ...shown })
        : h(Shared, { key: shown.path, ...shown, path: shown.path }),
  );
}

/**
 * The content of the dialog if the server refused to store the snippet: the reason, and instead a link that
 * contains the code itself.
 * @param {{refusal: string, code: SharedCode | null}} props
 */
function Unstored({ refusal, code }) {
  return [
    h("p", { key: "refusal", role: "alert" }, refusal),
    code === null ? null : h(CodeLink, { key: "code", ...code, isAlone: true }),
    ownLinks.value.length === 0 ? null : h(OwnLinks, { key: "own", shown: null }),
  ];
}

/** @param {{path: string, isCopied: boolean, code: SharedCode | null}} props */
function Shared({ path, isCopied, code }) {
  const [isWhole, setWhole] = useState(false);
  const [isAsSeen, setAsSeen] = useState(false);
  const view = useView();
  const [base = "", at = ""] = path.split("#");
  const behind = (/** @type {string} */ step) =>
    [isWhole ? "" : step, isAsSeen ? view : ""].filter((part) => part !== "").join("&");
  const shownPath = behind(at) === "" ? base : `${base}#${behind(at)}`;
  const link = new URL(shownPath, serverAddress.value?.address ?? location.origin).href;
  const wasCopied = isCopied && link === new URL(path, location.href).href;
  const made = ownLink(path);
  return h(Ways, {
    names: isStored(base) ? ["link", "class", "embed", "file"] : ["link"],
    panels: {
      link: (isFirst) => [
        h(LinkRow, { key: "link", link, label: say("link"), wasCopied, isFirst }),
        h(StepChoice, { key: "step", at, isWhole, choose: setWhole }),
        view === "" ? null : h(ViewChoice, { key: "view", isAsSeen, choose: setAsSeen }),
        made === null ? null : h(Headings, { key: "heading", link: made, source: code?.source ?? null }),
        h(QrCode, { key: "qr", path: shownPath }),
        code === null
          ? null
          : h(CodeLink, { key: "code", source: code.source, at: behind(code.at), isAlone: false }),
        ownLinks.value.length === 0 ? null : h(OwnLinks, { key: "own", shown: made }),
        made === null
          ? null
          : button({ key: "delete", onClick: () => unshare(made.id) }, say("share-delete")),
      ],
      class: () => [
        h(Lazy, {
          key: "room",
          isAsked: true,
          load: async () => (await loadChunk("room")).openRoomButton(),
        }),
        h(Lazy, {
          key: "lectures",
          isAsked: readStored("lectures") !== null,
          load: async () => (await loadChunk("lecture")).OwnLectures,
        }),
      ],
      embed: () => h(FrameCode, { path: shownPath }),
      file: () => h(FileLink, { base }),
    },
  });
}

/**
 * Whether the path is that of a stored snippet. The address of a comparison of lessons is not stored.
 * @param {string} base
 */
function isStored(base) {
  return /^\/s\/[A-Za-z0-9]+$/.test(base);
}

/**
 * The link that downloads the run as an HTML file, which replays offline.
 * @param {{base: string}} props
 */
function FileLink({ base }) {
  const [, id] = /^\/s\/([A-Za-z0-9]+)$/.exec(base) ?? [];
  if (id === undefined) return null;
  return h(
    "p",
    { class: "sharing-file" },
    h(
      "a",
      {
        class: "button",
        href: `${API}/snippets/${id}/recording.html?language=${language.value}`,
        download: "",
      },
      say("share-file"),
    ),
    " ",
    h("span", { class: "sharing-quiet" }, say("share-file-hint")),
  );
}

/** @param {{at: string, isWhole: boolean, choose: (isWhole: boolean) => void}} props */
function StepChoice({ at, isWhole, choose }) {
  const step = new URLSearchParams(at).get("step");
  if (step === null) return null;
  return checkBox(!isWhole, () => choose(!isWhole), say("share-at-step", { step }));
}

/** @param {{isAsSeen: boolean, choose: (isAsSeen: boolean) => void}} props */
function ViewChoice({ isAsSeen, choose }) {
  return checkBox(isAsSeen, () => choose(!isAsSeen), say("share-as-seen"));
}

/** The current view of the step, in the format of an address; "" until the code that formats it is loaded. */
function useView() {
  const [view, setView] = useState("");
  useEffect(() => {
    withChunk("view", ({ viewNow }) => setView(viewNow()));
  }, []);
  return view;
}
