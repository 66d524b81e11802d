"""Text of a snippet remains text in a picture: it cannot open an address, read a file or add an attribute."""

import re
from html import unescape
from typing import Any
from xml.etree.ElementTree import fromstring

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.explain import Document
from app.export import Wanted, draw
from app.export.dot import dot
from app.export.figures import DECODER
from tests.recordings import chunks, folded

pygraphviz = pytest.importorskip("pygraphviz")

ATTRIBUTES = {
    *("pos", "width", "height", "fixedsize", "margin", "bb", "viewport", "notranslate", "outputorder", "bgcolor"),
    *("shape", "sides", "distortion", "style", "color", "fillcolor", "penwidth", "arrowhead", "arrowsize"),
    *("fontname", "label"),
}
TAGS = {"TABLE", "TR", "TD", "FONT", "B", "BR"}
OF_TAGS = {
    *("BORDER", "CELLBORDER", "CELLSPACING", "CELLPADDING", "WIDTH", "HEIGHT", "FIXEDSIZE", "ALIGN", "PORT"),
    *("COLOR", "BGCOLOR", "STYLE", "FACE", "POINT-SIZE"),
}


def check(source: str) -> str:
    """Parse DOT, check all attributes, and return the texts of the labels."""
    graph = pygraphviz.AGraph(string=source)
    written = _declared([graph.graph_attr, *(element.attr for element in (*graph.nodes(), *graph.edges()))])
    assert written <= ATTRIBUTES, written - ATTRIBUTES
    texts = []
    for element in (*graph.nodes(), *graph.edges()):
        label = element.attr["label"] or ""
        if not label:
            continue
        assert label.startswith("<") and label.endswith(">")
        for tag, attributes in re.findall(r"</?([A-Za-z]+)((?:\s[^<>]*)?)/?>", label[1:-1]):
            assert tag in TAGS, tag
            assert set(re.findall(r'([A-Z-]+)="', attributes)) <= OF_TAGS, attributes
        texts.append(unescape(re.sub(r"<[^<>]*>", "", label[1:-1])))
    return "\n".join(texts)


def _declared(of: list[Any]) -> set[str]:
    """Return the names of all attributes in the graph."""
    return {name for attributes in of for name in attributes.keys()}  # noqa: SIM118 - not a dict


TEXTS = st.one_of(
    st.sampled_from(
        [
            "\\N",
            "\\E \\G \\T \\H \\L",
            "</FONT><IMG SRC='/etc/passwd'/>",
            '"];b [URL="javascript:1"',
            "<B>",
            "&lt;",
            "&#65;",
            "-->",
            "\0",
            "]]>",
        ]
    ),
    st.text(max_size=60),
)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(texts=st.lists(TEXTS, min_size=6, max_size=6))
def test_no_text_becomes_anything_else(texts: list[str]) -> None:
    """Any text in Nodes, tensors and cells remains unchanged after it was written and then parsed by Graphviz."""
    texts = [text.encode("utf-8", "replace").decode() for text in texts]
    line = {"x": 5, "y": 20, "size": 13, "bold": True, "sans": False, "colour": "#000000", "anchor": "start"}
    look = {"fill": "#ffffff", "stroke": "#000000", "thick": 1.5, "dash": "solid"}
    place = {"x": 0, "y": 0, "width": 90, "height": 50}
    lines = [{**line, "text": text, "y": 12 * number + 12} for number, text in enumerate(texts)]
    part = {
        "name": "graph",
        "frames": [],
        "strokes": [],
        "x": 0,
        "y": 0,
        "width": 100,
        "height": 100,
        "figures": [{**place, **look, "id": "node0", "outline": "round", "lines": lines[:2]}],
        "tables": [{**place, "id": "storage0", "rows": [[{**place, **look, "lines": lines[2:4]}]]}],
        "texts": lines[4:],
    }
    picture = {"step": 1, "steps": 1, "width": 100, "height": 100, "parts": [part]}
    said = check(dot(DECODER.decode(msgspec.json.encode(picture))))
    for text in texts:
        shown = re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)
        assert shown in said or not shown.strip() or unescape(shown) != shown


SHAPES = {"svg", "g", "title", "polygon", "path", "ellipse", "polyline", "text", "style", "clipPath"}
"""The SVG elements that Graphviz and the embedded fonts use."""

HOSTILE = """
import torch

class Named(dict):
    pass

held = {"</FONT></TD><TD HREF='https://x.example'>": torch.ones(2, requires_grad=True)}
ﬁ = list(held.values())[0] * 2
名字 = ﬁ.exp()
print("<img src=x onerror=alert(1)>")
名字.sum().backward()
"""


@pytest.mark.parametrize("kind", ["svg", "dot"])
async def test_a_hostile_run_opens_nothing(kind: Any) -> None:
    document = msgspec.json.encode(Document(trace=folded(HOSTILE, chunks(HOSTILE))))
    drawn = (await draw(document, Wanted(which="both", format=kind))).content.decode()
    if kind == "dot":
        check(drawn)
        return
    assert not re.search(
        r"<(script|image|a|foreignObject|use)\b|\bon\w+=|href=", drawn.partition("<style>")[2].partition("</style>")[2]
    )
    root = fromstring(drawn)
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= SHAPES
