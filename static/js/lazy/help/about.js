/** Owns the dialog about a run: versions of the software, device, random seed, limits and resource usage. */

import { h } from "../../../vendor/ui.js";
import { boot } from "../../io/boot.js";
import { bytes } from "../../run/values/format.js";
import { aboutIsOpen, replay } from "../../state/store.js";
import { listed, say } from "../../state/words.js";
import { LIMITS } from "./limits.js";
import { Sheet } from "../../panes/modal.js";

/** @import {Index} from "../../run/types.d.ts" */

export function About() {
  const close = () => (aboutIsOpen.value = false);
  const index = replay.value?.runs[0] ?? null;
  return h(
    Sheet,
    { name: "about", title: say("about"), isOpen: aboutIsOpen.value, close },
    index === null ? h("p", null, say("about-none")) : null,
    h(Facts, { facts: versionsOf(index) }),
    index === null
      ? null
      : [
          h("h3", { key: "h" }, say("limits")),
          h("p", { key: "p" }, say("limits-means")),
          h(Facts, { key: "f", facts: limitsOf(index) }),
        ],
  );
}

/** @param {{facts: [string, string][]}} props */
function Facts({ facts }) {
  return h(
    "dl",
    { class: "facts" },
    facts.map(([id, text]) => [h("dt", { key: id }, say(id)), h("dd", { key: `${id}=` }, text)]),
  );
}

/**
 * @param {Index | null} index
 * @returns {[string, string][]}
 */
function versionsOf(index) {
  if (index === null)
    return [
      ["about-torch", boot.torch],
      ["about-python", boot.python],
      ["about-stepgrad", boot.version],
      ...packagesOf(boot.imports),
    ];
  const { torch, python, stepgrad, format, device, seed, stand_in, packages } = index.header;
  return [
    ["about-torch", torch],
    ["about-python", python],
    ["about-stepgrad", stepgrad],
    ...packagesOf(Object.entries(packages ?? {})),
    ["about-format", String(format)],
    ["about-device", stand_in ? say("stood-in-short") : device],
    ["about-seed", String(seed)],
  ];
}

/**
 * @param {[name: string, version: string][]} versions
 * @returns {[string, string][]}
 */
function packagesOf(versions) {
  const others = versions.filter(([name]) => name !== "torch");
  return others.length === 0
    ? []
    : [["about-packages", listed(others.map(([name, version]) => `${name} ${version}`))]];
}

/**
 * @param {Index} index
 * @returns {[string, string][]}
 */
function limitsOf(index) {
  const limits = { ...LIMITS, ...index.header.limits };
  const { statements, steps } = limits;
  const ran = index.steps.filter((step) => step.kind === "statement").length;
  /** @type {(keyof typeof LIMITS)[]} */
  const sizes = ["memory_bytes", "output_bytes", "source_bytes", "tmp_bytes", "trace_bytes"];
  return [
    ["limit-wall_seconds", say("seconds", { count: limits.wall_seconds })],
    ["limit-cpu_seconds", say("seconds", { count: limits.cpu_seconds })],
    ["limit-statements", say("used-of", { used: ran, limit: statements })],
    ["limit-steps", say("used-of", { used: index.steps.length, limit: steps })],
    ...sizes.map((name) => /** @type {[string, string]} */ ([`limit-${name}`, bytes(limits[name])])),
    ["limit-threads", String(limits.threads)],
    ["limit-cells", say("elements", { count: limits.cells })],
  ];
}
