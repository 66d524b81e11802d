"""Serve a page with an `<iframe>` that shows a recording from another origin."""

import html
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

PAGE = """<!doctype html><meta charset="utf-8"><title>A course</title><body style="margin:0">
<script>
window.heard = [];
addEventListener('message', ({{data, origin}}) => heard.push({{data, origin}}));
</script>
<iframe src="{address}" title="A recording" width="{width}" height="{height}" style="border:0"></iframe>
"""


class _Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Return a page with an iframe. The query gives its width, height and address."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        known = {"width": "720", "height": "540", "address": "about:blank", **asked}
        body = PAGE.format(**{name: html.escape(value) for name, value in known.items()}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class uses this name
        pass


@contextmanager
def course() -> Iterator[str]:
    """Run a server of pages with an iframe, and yield its origin."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Page)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


SAY = "(message) => document.querySelector('iframe').contentWindow.postMessage(message, '*')"


def as_script(message: object) -> str:
    """Return JavaScript that posts `message` to the iframe."""
    return f"({SAY})({json.dumps(message)})"
