/**
 * Opens a standalone file in Firefox as a visitor does, and writes the visible text as JSON. It uses
 * WebDriver BiDi with a Firefox profile that lacks the usual settings for automation. With these settings, a
 * file could read other files in its folder.
 *
 * node firefox.mjs FIREFOX PROFILE ADDRESS TERM
 */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import puppeteer from "puppeteer-core";

const [firefox = "", profile = "", address = "", term = ""] = process.argv.slice(2);
const PATIENCE = 120_000;
const LISTENS = /WebDriver BiDi listening on (ws:\/\/\S+)/;
const PICTURE = "[...document.querySelectorAll('.picture svg')].map((svg) => svg.innerHTML).join()";

writeFileSync(join(profile, "user.js"), 'user_pref("remote.prefs.recommended", false);\n');
const running = spawn(firefox, [
  ...["--headless", "--no-remote", "--profile", profile],
  ...["--remote-debugging-port", "0", "about:blank"],
]);
try {
  const browserWSEndpoint = `${await endpoint()}/session`;
  const browser = await puppeteer.connect({ browserWSEndpoint, protocol: "webDriverBiDi" });
  process.stdout.write(JSON.stringify(await told(await browser.newPage())));
  await browser.disconnect();
} finally {
  running.kill("SIGKILL");
}

/** @returns {Promise<string>} the address of Firefox's WebDriver, when it listens */
function endpoint() {
  let said = "";
  return new Promise((found, failed) => {
    running.stderr.on("data", (piece) => {
      said += piece;
      const [, at] = LISTENS.exec(said) ?? [];
      if (at !== undefined) found(at);
    });
    running.on("exit", () => failed(new Error(said)));
  });
}

/** @param {import("puppeteer-core").Page} page */
async function told(page) {
  /** @type {string[]} */
  const asked = [];
  /** @type {string[]} */
  const complaints = [];
  page.setDefaultTimeout(PATIENCE);
  page.on("request", (request) => asked.push(request.url().slice(0, 60)));
  page.on("console", (said) => said.type() === "error" && complaints.push(said.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.setViewport({ width: 1440, height: 900 });
  await page.goto(address, { waitUntil: "load" });
  const seen = term === "" ? await blank(page) : await used(page);
  const version = await page.browser().version();
  return { ...seen, version, asked, complaints };
}

/** @param {import("puppeteer-core").Page} page Returns the visible text of a file without its script. */
async function blank(page) {
  const shown = await page.$$eval(".app", (found) => found.length);
  return { shown, says: await text(page, ".loading") };
}

/**
 * @param {import("puppeteer-core").Page} page Uses the file as a reader does, and returns the visible text.
 */
async function used(page) {
  await page.waitForSelector(".timeline");
  const opened = await text(page, ".position b");
  await page.keyboard.press("Home");
  await page.keyboard.press(".");
  await shows(page, ".position b", "Step 2");
  const sentence = await text(page, ".story");
  await page.keyboard.press("End");
  await page.waitForFunction("((slider) => slider.value === slider.max)(document.querySelector('.slider'))");
  await page.locator("::-p-aria([name='Groups of Nodes'][role='button'])").click();
  const pressed = [];
  for (const name of ["Unfold every group", "Fold every group"]) {
    const shown = await page.evaluate(PICTURE);
    await page.locator(`#folds ::-p-text(${name})`).click();
    await page.waitForFunction(`${PICTURE} !== ${JSON.stringify(shown)}`);
    pressed.push(await page.$$eval(".picture .group-frame", (frames) => frames.length));
  }
  await page.evaluate("document.getElementById('folds').hidePopover()");
  await page.keyboard.press("/");
  await page.keyboard.type(term);
  await page.keyboard.press("Enter");
  await page.waitForFunction(
    "/^1 of \\d+$/.test(document.querySelector('.search-count')?.textContent ?? '')",
  );
  const found = await text(page, ".search-count");
  await page.keyboard.press("Escape");
  await page.locator("::-p-text(中文)").click();
  await page.waitForFunction("document.documentElement.lang === 'zh-CN'");
  const heading = await text(page, ".story-pane h2");
  const beside = await page.evaluate(
    "fetch('beside.txt').then((answer) => answer.text()).catch(() => 'refused')",
  );
  return { opened, sentence, pressed, found, heading, beside };
}

/**
 * @param {import("puppeteer-core").Page} page
 * @param {string} selector
 * @returns {Promise<string>}
 */
function text(page, selector) {
  return page.$eval(selector, (element) => /** @type {HTMLElement} */ (element).innerText);
}

/**
 * @param {import("puppeteer-core").Page} page
 * @param {string} selector
 * @param {string} wanted
 */
async function shows(page, selector, wanted) {
  await page.waitForFunction(
    `document.querySelector('${selector}').textContent === ${JSON.stringify(wanted)}`,
  );
}
