"""Reuse browser tabs for the visitors of later tests, after removing all stored data.

Opening a page in a tab of the same site takes half the processor time of opening a new tab.
"""

import json
from functools import partial
from typing import Any, Final

from playwright.sync_api import Browser, Page

from tests.browser.page import VIEWPORT, Tutor

EMPTY: Final = "/robots.txt"
"""A file of the same site that sends no requests and stores nothing."""
IDLE: Final = 4
"""The maximum number of unused tabs. Each is a process."""
USUAL: Final = {"color_scheme": "light", "contrast": "no-preference", "forced_colors": "none", "reduced_motion": "reduce"}
"""Options that can be changed for an open tab, with their default values."""
LASTING: Final = ("add_init_script", "expose_binding", "expose_function", "once", "set_extra_http_headers")
"""Methods of a page or a context with effects that cannot be undone."""
LASTING_IN_A_CONTEXT: Final = (*LASTING, "grant_permissions", "new_cdp_session", "on", "set_offline")
LASTING_IN_A_CLOCK: Final = ("install", "set_fixed_time", "set_system_time")


class Tab:
    """A tab in its own browser context, used by one visitor at a time."""

    def __init__(self, page: Page, kind: str, *, can_be_emptied: bool) -> None:
        self.page = page
        self.kind = kind
        """The server's URL and the options of the context that cannot be changed later."""
        self._can_be_emptied = can_be_emptied
        self._listeners: list[tuple[Any, Any]] = []
        """The events and listeners that a test registered on the page."""
        self._session = page.context.new_cdp_session(page)

    def watch(self) -> None:
        """Record the test's listeners, and whether it calls a method with an effect that cannot be undone."""
        self.page.on = partial(self._listen, self.page.on)  # type: ignore[method-assign]
        for thing, names in self._watched():
            for name in names:
                setattr(thing, name, partial(self._note, getattr(thing, name)))

    def can_be_emptied(self) -> bool:
        """Whether the tab can be reused."""
        return self._can_be_emptied and not self.page.is_closed()

    def empty(self, url: str) -> None:
        """Remove listeners, routes, other tabs, storage, cookies and history."""
        for thing, names in self._watched():
            for name in names:
                delattr(thing, name)
        delattr(self.page, "on")
        for event, listener in self._listeners:
            self.page.remove_listener(event, listener)
        self._listeners.clear()
        context = self.page.context
        for other in context.pages:
            if other != self.page:
                other.close()
        self.page.unroute_all(behavior="ignoreErrors")
        context.unroute_all(behavior="ignoreErrors")
        self.page.goto(url + EMPTY)
        self.page.mouse.move(-1, -1)
        self.page.evaluate("() => { sessionStorage.clear(); window.name = ''; }")
        self._session.send("Storage.clearDataForOrigin", {"origin": url, "storageTypes": "all"})
        self._session.send("Page.resetNavigationHistory")
        context.clear_cookies()

    def _listen(self, on: Any, event: Any, listener: Any) -> None:
        self._listeners.append((event, listener))
        on(event, listener)

    def _note(self, method: Any, *arguments: Any, **named: Any) -> Any:
        self._can_be_emptied = False
        return method(*arguments, **named)

    def _watched(self) -> tuple[tuple[object, tuple[str, ...]], ...]:
        context = self.page.context
        return (self.page, LASTING), (context, LASTING_IN_A_CONTEXT), (context.clock, LASTING_IN_A_CLOCK)


class Tabs:
    """The tabs of one browser."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._idle: list[Tab] = []
        self._taken: list[tuple[Tutor, Tab]] = []

    def visitor(self, url: str, *, is_new: bool = False, **options: Any) -> Tutor:
        """Return a visitor without cookies and storage, in a new or reused tab. With `is_new`, the tab is new and has no
        cached files.
        """
        kind = json.dumps([url, {name: value for name, value in options.items() if name not in (*USUAL, "viewport")}])
        tab = None if is_new else next((tab for tab in self._idle if tab.kind == kind), None)
        if tab is None:
            tutor = Tutor(self._browser, url, **options)
            tab = Tab(tutor.page, kind, can_be_emptied="storage_state" not in options)
        else:
            self._idle.remove(tab)
            tab.page.set_viewport_size(options.get("viewport", VIEWPORT))
            tab.page.emulate_media(media="null", **{name: options.get(name, usual) for name, usual in USUAL.items()})
            tutor = Tutor(self._browser, url, tab=tab.page)
        tab.watch()
        self._taken.append((tutor, tab))
        return tutor

    def everybody_leaves(self) -> list[str]:
        """Empty or close the tabs of all visitors. Return the console errors and warnings of all visitors."""
        taken, self._taken = self._taken, []
        complaints = [complaint for tutor, _ in taken for complaint in tutor.complaints]
        for tutor, tab in taken:
            if tab.can_be_emptied():
                tutor.leave(tab.page)
                tab.empty(tutor.url)
                self._idle.append(tab)
            else:
                tutor.context.close()
        while len(self._idle) > IDLE:
            self._idle.pop(0).page.context.close()
        return complaints

    def close(self) -> None:
        """Close the unused tabs."""
        while self._idle:
            self._idle.pop().page.context.close()
