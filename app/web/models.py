"""Requests and responses of the HTTP API as pydantic models, for validation and for the OpenAPI description.

There is no model of a document, because the codec of traces encodes documents; their schema comes from the trace format.
"""

from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from app.store.stored_recording import is_text

EXAMPLE_SOURCE = "import torch\n\nx = torch.ones(3, requires_grad=True)\ny = x.detach()\ny.zero_()\n"

LINK: dict[str, Any] = {"id": "aB3dE6gH9kL", "url": "/s/aB3dE6gH9kL", "deletion_token": "q7Xn0uV2sJ4mK9wZbT1eRc5p"}

Seed = Annotated[int, Field(strict=True, ge=0, le=2**53, description="The argument of `torch.manual_seed` before the run.")]

StandIn = Annotated[bool, Field(strict=True, description="Run the snippet on the CPU in place of a missing GPU.")]


class Snippet(BaseModel):
    """A snippet to run."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"source": EXAMPLE_SOURCE, "seed": 0}]})

    source: Annotated[str, Field(strict=True, description="Python source, at most 256 KiB in UTF-8.")]
    seed: Seed = 0
    stand_in: StandIn = False


class SeenSnippet(Snippet):
    """A snippet that ran, and the token of its recording."""

    recording_token: Annotated[
        str | None,
        Field(
            strict=True,
            pattern=r"^[0-9a-f]{64}\.[A-Za-z0-9_-]{20,100}$",
            description="The `recording_token` of a document, valid for its visitor only. Without it: the latest recording.",
        ),
    ] = None


def _one_line(text: str) -> str:
    """`text` without outer white space, and with one space in place of each inner run of white space."""
    return " ".join(text.split())


Title = Annotated[str, Field(strict=True, max_length=120), AfterValidator(_one_line)]
Author = Annotated[str, Field(strict=True, max_length=80), AfterValidator(_one_line)]


MOST_NOTES: Final = 16_000
"""Maximum characters of all notes of a link."""


def _bounded(notes: dict[str, str]) -> dict[str, str]:
    """`notes` without empty notes. Raises ValueError if a note is not valid text or the notes exceed the limit."""
    kept = {step: note for step, note in notes.items() if note.strip()}
    if sum(map(len, kept.values())) > MOST_NOTES:
        raise ValueError(f"the notes of a link may have at most {MOST_NOTES} characters in total")
    if not all(map(is_text, kept.values())):
        raise ValueError("a note contains a NUL character or a lone surrogate")
    return kept


Step = Annotated[str, Field(strict=True, pattern=r"^step=[1-9]\d{0,8}(&by=operator)?$")]
Note = Annotated[str, Field(strict=True, max_length=2000)]
Notes = Annotated[dict[Step, Note], Field(max_length=300), AfterValidator(_bounded)]


class LinkHeading(BaseModel):
    """The title, author and notes of a link. Empty notes are removed."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"title": "What detach() shares", "author": "Week 3"}]}
    )

    title: Title
    author: Author
    notes: Annotated[Notes | None, Field(description="Notes about steps, by the step's part of the URL: `step=8`.")] = None


class Report(BaseModel):
    """A visitor's report about a link."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"reason": "It insults a classmate."}]})

    reason: Annotated[
        str, Field(strict=True, max_length=200, description="One line, shown only to the operator."), AfterValidator(_one_line)
    ] = ""


class SharedSnippet(SeenSnippet):
    """A snippet to share, with its title, author and notes."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"source": EXAMPLE_SOURCE, "title": "What detach() shares", "author": "Week 3"}]},
    )

    title: Title = ""
    author: Author = ""
    shown: Annotated[
        str,
        Field(
            strict=True,
            pattern=r"^(step=[1-9]\d{0,8}(&by=(line|operator))?)?$",
            description="The step in the preview picture, as in the URL: `step=8`.",
        ),
    ] = ""
    parent: Annotated[
        str | None,
        Field(strict=True, pattern="^[A-Za-z0-9]{1,16}$", description="Id of the link whose snippet was edited into this one."),
    ] = None


Place = Annotated[int, Field(strict=True, ge=0, le=10_000)]


class Choice(BaseModel):
    """One fix of a document, by its indices. If both fields are missing, the request is about the document's first fixes."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"finding": 0, "fix": 0}]})

    finding: Annotated[Place | None, Field(description="Index in the findings of the document.")] = None
    fix: Annotated[Place | None, Field(description="Index in the fixes of that finding.")] = None


class TriedSnippet(SeenSnippet, Choice):
    """A snippet that ran, and optionally one of its fixes."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"source": EXAMPLE_SOURCE, "seed": 0, "finding": 0, "fix": 0}]}
    )


Groups = Annotated[list[Annotated[str, Field(strict=True, max_length=400)]] | None, Field(max_length=5000)]


class PictureWanted(BaseModel):
    """Which picture is drawn, and in which format."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"picture": "graph", "format": "svg", "step": "8"}]}
    )

    picture: Annotated[Literal["graph", "memory", "both"], Field(description="The content.")] = "graph"
    format: Annotated[Literal["svg", "pdf", "png", "dot"], Field(description="The file format.")] = "svg"
    step: Annotated[
        str,
        Field(
            pattern="^([1-9][0-9]{0,6}|first|last)$", description="From 1; `first` is the first step with something to show."
        ),
    ] = "last"
    by: Annotated[Literal["line", "node", "operator"], Field(description="The unit of a step.")] = "node"
    language: Annotated[Literal["en", "zh-CN"], Field(description="The language of the text.")] = "en"
    open: Annotated[Groups, Field(description="Keys of the open groups in the graph; default: as when a run opens.")] = None
    open_storages: Annotated[Groups, Field(description="Keys of the open groups in memory; default: as when a run opens.")] = (
        None
    )
    why: Annotated[
        str | None,
        Field(pattern=r"^[a-z0-9.-]{1,500}$", description="The question Why? whose answer is marked, as `why` in an address."),
    ] = None
    width: Annotated[
        int, Field(ge=320, le=8000, description="The width of the page that the picture is laid out for, in px.")
    ] = 1600


class DrawnSnippet(SeenSnippet, PictureWanted):
    """A snippet that ran, and the wanted picture of the run."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"source": EXAMPLE_SOURCE, "seed": 0, "picture": "memory", "format": "pdf"}]},
    )


class Link(BaseModel):
    """A shared snippet."""

    model_config = ConfigDict(json_schema_extra={"examples": [LINK]})

    id: str
    url: Annotated[str, Field(description="Path of the page that shows it, on this server.")]
    deletion_token: Annotated[
        str, Field(description="The token to delete it, sent as X-Deletion-Token. It is not shown again.")
    ]


class Address(BaseModel):
    """The public URL of this server."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"address": "https://stepgrad.example", "nearby": [], "listens": True, "embeds": True}]}
    )

    address: Annotated[
        str | None, Field(description="The base URL of links; null: unknown, because this request used a loopback address.")
    ]
    nearby: Annotated[
        list[str], Field(description="If `address` is null: possible base URLs for other machines in the network.")
    ]
    listens: Annotated[bool, Field(description="Whether the server listens on more than loopback.")]
    embeds: Annotated[bool, Field(description="Whether other sites may show recordings in a frame.")]


class Error(BaseModel):
    """The JSON format of every error."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"error": "empty_snippet", "message": "The snippet is empty.", "hint": "Write at least one line."}]
        }
    )

    error: Annotated[str, Field(description="A code for programs.")]
    message: Annotated[str, Field(description="One sentence.")]
    hint: Annotated[str, Field(description="What to do.")]


class Health(BaseModel):
    """The status of this server."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "status": "ok",
                    "stepgrad": "0.3.0",
                    "torch": "2.13.0+cpu",
                    "python": "3.11.7",
                    "format": 1,
                    "running": 0,
                    "waiting": 0,
                    "tier": "A",
                    "layers": ["bubblewrap", "namespaces", "limits", "privileges", "landlock", "seccomp"],
                    "canary_age_seconds": 12.3,
                    "refusal": "",
                    "notice": "",
                }
            ]
        }
    )

    status: Annotated[
        Literal["ok", "degraded", "refusing"],
        Field(
            description='"refusing": no runs are accepted; "degraded": runs are accepted, but links cannot be opened or saved.'
        ),
    ]
    stepgrad: str
    torch: str
    python: str
    format: Annotated[int, Field(description="Version of the trace format.")]
    running: Annotated[int, Field(description="Active runs. Only operators get this field and the following ones.")] = 0
    waiting: Annotated[int, Field(description="Runs in the queue.")] = 0
    tier: Annotated[Literal["A", "A-", "B"] | None, Field(description="The tier of isolation of runs.")] = None
    layers: Annotated[list[str], Field(description="The layers of isolation that the canary has verified.")] = []
    canary_age_seconds: Annotated[float, Field(description="Seconds since the canary verified them.")] = 0.0
    refusal: Annotated[str, Field(description="Why no runs are accepted; empty if they are.")] = ""
    notice: Annotated[str, Field(description="A notice for the operator while runs are accepted; empty if there is none.")] = ""
