"""Measure a first visit over a slow connection: Chromium without cached files, 1.6 Mbit/s and 150 ms latency."""

import json
import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from playwright.sync_api import Browser, CDPSession, Page

from tests.benchmarks.table import Row, Size, at_most
from tests.browser.page import Tutor, launched
from tests.web.server import Running, running

TITLE = "First visit: Chromium, nothing cached, 1.6 Mbit/s and 150 ms for the page and its workers (median of five)"
VISITS: Final = {Size.SMALLEST: 1, Size.FULL: 5}
SLOW: Final = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 1.6e6 / 8}
AS_IT_IS: Final = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
LINE: Final[dict[Size, dict[str, Any]]] = {Size.SMALLEST: AS_IT_IS, Size.FULL: SLOW}
READS_FOR_MS: Final = {Size.SMALLEST: 0, Size.FULL: 8000}
"""When a visitor who reads the page first presses Run, in ms after the start of the visit."""
KIB = 1024

WATCH = """() => {
    const editor = () => document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content[contenteditable="true"]');
    const picture = () => ['graph', 'memory'].every((name) => document.querySelector(`.picture:not(.demo *) .${name}`));
    const look = () => {
        if (!window.usable && editor()) {
            window.usable = performance.now();
            if (window.name === 'at once') press();
        }
        if (picture()) window.drawn = performance.now();
        else requestAnimationFrame(look);
    };
    window.press = () => {
        window.pressed = performance.now();
        document.querySelector('.code-pane .act.primary').click();
    };
    look();
}"""
"""Stores when the editor is usable, when Run is pressed and when the first picture of the run is drawn, in ms after the start."""


@dataclass
class Wire:
    """The requests of a page, each with its time in ms since the first request, and the number of bytes received."""

    began: float = 0.0
    addresses: dict[str, str] = field(default_factory=dict)
    asked: dict[str, float] = field(default_factory=dict)
    heads: dict[str, int] = field(default_factory=dict)
    bytes: dict[str, int] = field(default_factory=dict)
    """The compressed size of each response body in bytes."""

    def requested(self, event: dict[str, Any]) -> None:
        """Note the time of a request."""
        if event["request"]["url"].startswith("http"):
            self.began = self.began or event["timestamp"]
            self.addresses[event["requestId"]] = event["request"]["url"]
            self.asked[event["requestId"]] = (event["timestamp"] - self.began) * 1000

    def answered(self, event: dict[str, Any]) -> None:
        """Note the headers of a response."""
        self.heads[event["requestId"]] = event["response"]["encodedDataLength"]

    def finished(self, event: dict[str, Any]) -> None:
        """Note the end of a response."""
        self.bytes[event["requestId"]] = event["encodedDataLength"] - self.heads.get(event["requestId"], 0)

    def weigh(self, wanted: Callable[[str], bool], until: float = math.inf) -> int:
        """Return the bytes of requests before `until` whose address is `wanted`, counted as in tests/web/test_size.py."""
        asked = (each for each, when in self.asked.items() if when < until and wanted(self.addresses[each]))
        return sum(self.bytes.get(each, 0) for each in asked)


@dataclass(frozen=True)
class Visit:
    """The times of a first visit in ms."""

    usable: float
    pressed: float
    picture: float
    wire: Wire


def measure(size: Size) -> list[Row]:
    with running(visitor_burst="1e6") as server, launched() as browser:
        visit(server, browser, size, "at once")  # compresses the files, and prepares the sandbox
        reading = [visit(server, browser, size, "") for _ in range(VISITS[size])]
        at_once = [visit(server, browser, size, "at once") for _ in range(VISITS[size])]
    usable = sorted(each.usable for each in (*reading, *at_once))
    later, sooner = ([each.picture - each.pressed for each in visits] for visits in (reading, at_once))
    wire = reading[0].wire
    first = wire.weigh(lambda address: not is_font(address) and not is_engine(address), until=reading[0].usable)
    fonts = wire.weigh(is_font)
    early = sum(is_font(wire.addresses[each]) and when < reading[0].usable for each, when in wire.asked.items())
    return [
        in_time("until the editor is usable", usable, 2500),
        at_most("requests, fonts and layout engine included", f"{len(wire.asked)}", len(wire.asked), 35, ""),
        at_most("page, scripts, styles and words before the layout engine", f"{first / KIB:.0f} KiB", first / KIB, 250, "KiB"),
        at_most("fonts", f"{fonts / KIB:.0f} KiB", fonts / KIB, 95, "KiB"),
        at_most("fonts that are asked for before the editor is usable", f"{early}", early, 0, ""),
        in_time("from Run, pressed 8 s after the start, to the first picture", later, 1500),
        in_time("from Run, pressed at once, to the first picture", sooner, 4000),
    ]


def in_time(what: str, taken: list[float], most: float) -> Row:
    """Return a row with the median of the times."""
    middle = statistics.median(taken)
    return at_most(what, f"{middle:.0f} ms (at most {max(taken):.0f})", middle, most, "ms")


def is_font(address: str) -> bool:
    return address.endswith(".woff2")


def is_engine(address: str) -> bool:
    """Whether the page loads the file only to show a run."""
    return any(part in address for part in ("layout-engine", "layout.worker", "stage.js", "words-steps", "/api/"))


def visit(server: Running, browser: Browser, size: Size, name: str) -> Visit:
    """Visit the page for the first time, and press Run.

    If `name` is "at once", press Run as soon as possible, otherwise after READS_FOR_MS.
    """
    tutor = Tutor(browser, server.url)
    page = tutor.page
    wire = listening(page, LINE[size])
    page.add_init_script(f"window.name = {json.dumps(name)}; ({WATCH})()")
    page.goto(f"{server.url}/", wait_until="commit")
    usable = time_of(page, "usable")
    if name == "":
        page.evaluate("(ms) => new Promise((done) => setTimeout(done, ms - performance.now()))", READS_FOR_MS[size])
        page.evaluate("() => press()")
    picture = time_of(page, "drawn")
    seen = Visit(usable, time_of(page, "pressed"), picture, wire)
    tutor.context.close()
    return seen


def time_of(page: Page, name: str) -> float:
    """Wait until the page has stored a time under `name`, and return it."""
    return float(page.wait_for_function(f"() => window.{name}", timeout=60_000).json_value())


def listening(page: Page, line: dict[str, Any]) -> Wire:
    """Apply the network conditions `line` to the page and its workers. Return their requests."""
    wire = Wire()
    session = page.context.new_cdp_session(page)
    session.on("Network.requestWillBeSent", wire.requested)
    session.on("Network.responseReceived", wire.answered)
    session.on("Network.loadingFinished", wire.finished)
    session.on("Target.attachedToTarget", lambda event: begin(session, event["sessionId"]))
    session.on("Target.receivedMessageFromTarget", lambda event: heard(wire, event))
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", line)
    session.send("Target.setAutoAttach", {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": False})
    return wire


def begin(session: CDPSession, target: str) -> None:
    """Subscribe to the network events of a waiting worker, and start it. The worker's network events arrive over the
    connection of the page.
    """
    for number, method in enumerate(("Network.enable", "Runtime.runIfWaitingForDebugger")):
        message = json.dumps({"id": number, "method": method})
        session.send("Target.sendMessageToTarget", {"sessionId": target, "message": message})


def heard(wire: Wire, event: dict[str, Any]) -> None:
    """Collect the requests of a worker."""
    message = json.loads(event["message"])
    if message.get("method") == "Network.requestWillBeSent":
        wire.requested(message["params"])
    elif message.get("method") == "Network.responseReceived":
        wire.answered(message["params"])
    elif message.get("method") == "Network.loadingFinished":
        wire.finished(message["params"])
