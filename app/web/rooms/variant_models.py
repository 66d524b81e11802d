"""Requests and responses of variants, as pydantic models."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from app.rooms.variants import Picked
from app.web.rooms.room_models import LARGEST, LinkId

Number = Annotated[int, Field(strict=True, ge=0, le=LARGEST)]


class PickedClass(BaseModel):
    """The class that the teacher picks, and a link to the variant that represents it."""

    model_config = ConfigDict(extra="forbid")

    id: Number
    link: LinkId

    def picked(self) -> Picked:
        """Convert to the domain type."""
        return Picked(id=self.id, link=self.link)


class VariantsChange(BaseModel):
    """Changes of a collection. Omitted fields do not change."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"id": 1000008, "open": False}]})

    id: Number
    open: Annotated[bool, Field(strict=True)] | None = None
    hidden: Annotated[bool, Field(strict=True)] | None = None
    picked: Annotated[list[PickedClass], Field(max_length=2)] | None = None


class VariantRun(BaseModel):
    """A variant to run for the class."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"variants": 1000008, "source": "x = 1\n"}]})

    variants: Number
    source: Annotated[str, Field(strict=True, description="Python source, at most 8 KiB in UTF-8.")]


class VariantsOpened(BaseModel):
    """The response to a new collection of variants: the collection's number."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"id": 1000008}]})

    id: int


class Variant(BaseModel):
    """A source, and the number of members that sent this source."""

    source: str
    count: int


class ClassVariants(BaseModel):
    """The variants of one class, most frequent first, at most 40."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"seed": 0, "stand_in": False, "variants": [{"source": "x = 1\\n", "count": 12}]}]}
    )

    seed: int
    stand_in: bool
    variants: list[Variant]
