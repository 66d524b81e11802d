"""The tables of the store for SQLAlchemy; `migrations/` creates them.

History: 0001 recordings and snippets; 0002 snippets.stand_in; 0003 size; 0004 explanations; 0005 snippets.visited,
deletion and held, quotas; 0006 snippets.title, author and parent; 0007 reports;
0008 snippets.notes; 0009 snippets.shown; 0010 rooms, room_votes and room_presses; 0011 lectures, lecture_reports;
0012 signing_keys; 0013 rooms.fence; 0014 snippets.chosen; 0015 room_variants;
0016 recent_recordings.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    false,
)

metadata = MetaData(
    naming_convention={  # the same names on every database, so that migrations can drop indexes and constraints
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

recordings = Table(
    "recordings",
    metadata,
    # SHA-256 of the trace's canonical bytes, in hexadecimal, so that the content of a recording cannot change.
    Column("hash", String(64), primary_key=True),
    # The key of the request (see `request_key`): an equal request may reuse the recording.
    Column("request", String(64), nullable=False),
    # Version of the trace format, as in its header.
    Column("format", Integer, nullable=False),
    # Bytes of this row in the store's size.
    Column("bytes", Integer, nullable=False),
    Column("created", DateTime, nullable=False),
    # The trace's canonical bytes, compressed by zlib.
    Column("trace", LargeBinary, nullable=False),
    Index(None, "request"),
)

snippets = Table(
    "snippets",
    metadata,
    # Part of the link: random, so that it cannot be guessed.
    Column("id", String(16), primary_key=True),
    Column("source", Text, nullable=False),
    Column("seed", BigInteger, nullable=False),
    # Whether it ran on the CPU in place of a GPU.
    Column("stand_in", Boolean, nullable=False, server_default=false()),
    Column("recording", String(64), ForeignKey("recordings.hash"), nullable=False),
    Column("bytes", Integer, nullable=False),
    Column("created", DateTime, nullable=False),
    # When its recording was replaced by a new one; NULL: never.
    Column("recorded_again", DateTime, nullable=True),
    # Day of the last visit, in UTC; initially the day of its creation.
    Column("visited", Date, nullable=False),
    # SHA-256 of the deletion token, in hexadecimal; NULL: the link is older than tokens.
    Column("deletion", String(64), nullable=True),
    # When an operator held it; NULL: it is not held.
    Column("held", DateTime, nullable=True),
    # The sharer's title and name. Empty: none.
    Column("title", Text, nullable=False, server_default=""),
    Column("author", Text, nullable=False, server_default=""),
    # The sharer's notes, as a JSON object from steps (`step=8`) to notes. Empty: none.
    Column("notes", Text, nullable=False, server_default=""),
    # The step at which it was created, in the form of a URL: `step=8`. Empty: none.
    Column("shown", String(40), nullable=False, server_default=""),
    # The link from which its snippet was edited, which may have been deleted since; NULL: none.
    Column("parent", String(16), nullable=True),
    # True if the sharer chose this recording. False for older links, which may show a run that ended by accident.
    Column("chosen", Boolean, nullable=False, server_default=false()),
    Index(None, "recording"),
    Index(None, "visited"),
)

explanations = Table(
    "explanations",
    metadata,
    # The row is deleted with its recording. A deletion subtracts the `bytes` of both from the size.
    Column("recording", String(64), ForeignKey("recordings.hash", ondelete="CASCADE"), primary_key=True),
    # Hash of the source files of app/explain. An explanation by another version is replaced.
    Column("explainer", String(64), nullable=False),
    # Bytes of this row in the store's size.
    Column("bytes", Integer, nullable=False),
    # The document without its trace, as JSON, compressed by zlib.
    Column("explanation", LargeBinary, nullable=False),
)

reports = Table(
    "reports",
    metadata,
    # The row is deleted with its link, whose `bytes` include it.
    Column("snippet", String(16), ForeignKey("snippets.id", ondelete="CASCADE"), primary_key=True),
    # A visitor, hashed with the server's key and the link, so that reports about two links cannot be connected.
    Column("maker", String(64), primary_key=True),
    # Of the report, in UTC.
    Column("day", Date, nullable=False),
    # One line in the visitor's words, or empty.
    Column("reason", Text, nullable=False),
)

lectures = Table(
    "lectures",
    metadata,
    # Random, as for snippets; in `/l/<id>`.
    Column("id", String(16), primary_key=True),
    # The teacher's title and name. Empty: none.
    Column("title", Text, nullable=False),
    Column("author", Text, nullable=False),
    # A JSON array of `app.lectures.LecturePart`. The links that it names may have been deleted since.
    Column("parts", Text, nullable=False),
    Column("bytes", Integer, nullable=False),
    Column("created", DateTime, nullable=False),
    # When it was edited last; NULL: never.
    Column("changed", DateTime, nullable=True),
    # As for snippets. A visit also counts for all links that the lecture shows.
    Column("visited", Date, nullable=False),
    # SHA-256 of the token for editing and deleting it, in hexadecimal.
    Column("deletion", String(64), nullable=False),
    # When an operator held it; NULL: it is not held.
    Column("held", DateTime, nullable=True),
    Index(None, "visited"),
)

lecture_reports = Table(
    "lecture_reports",
    metadata,
    # The columns are as in `reports`.
    Column("lecture", String(16), ForeignKey("lectures.id", ondelete="CASCADE"), primary_key=True),
    Column("maker", String(64), primary_key=True),
    Column("day", Date, nullable=False),
    Column("reason", Text, nullable=False),
)

size = Table(
    "size",
    metadata,
    # The table has one row, with the sum of all `bytes`. A transaction that adds something locks it until it commits.
    Column("bytes", BigInteger, nullable=False),
)

quotas = Table(
    "quotas",
    metadata,
    # In UTC. Rows of past days are deleted.
    Column("day", Date, primary_key=True),
    # An address or a visitor, hashed with the server's key and the day, so that two days cannot be connected.
    Column("maker", String(64), primary_key=True),
    # Number of links created on that day, and their bytes.
    Column("links", Integer, nullable=False),
    Column("bytes", BigInteger, nullable=False),
)

signing_keys = Table(
    "signing_keys",
    metadata,
    # From 1. The first key is never deleted, because hashes in this store use it.
    Column("number", Integer, primary_key=True, autoincrement=False),
    # 32 random bytes, in hexadecimal.
    Column("key", String(64), nullable=False),
    # It signs some time later, when every web has loaded it.
    Column("made", DateTime, nullable=False),
)

rooms = Table(
    "rooms",
    metadata,
    # Random and never reused, because tokens of members are derived from it.
    Column("id", String(32), primary_key=True),
    # The code that people type. It can be reused when the room ends, which deletes the row.
    Column("code", String(8), nullable=False),
    # SHA-256 of the secret of each of the teacher's devices, as a JSON list.
    Column("secrets", Text, nullable=False),
    # Number of takeovers, from which the projector's secret is derived.
    Column("takeovers", Integer, nullable=False),
    # The link whose deletion token allows a takeover; NULL: none.
    Column("link", String(16), nullable=True),
    # The networks of the address that opened it, hashed with the server's key and joined by dots.
    Column("opener", String(64), nullable=False),
    Column("opened", DateTime, nullable=False),
    # Its state and question (`app.rooms.room_record.KeptState`), as JSON.
    Column("state", Text, nullable=False),
    # Incremented by each process that takes the room over. A process with an earlier number may not write.
    Column("fence", Integer, nullable=False, server_default="0"),
    Index("ix_rooms_code", "code", unique=True),
)

room_votes = Table(
    "room_votes",
    metadata,
    # The rows are deleted with their room, or when the next question is asked.
    Column("room", String(32), ForeignKey("rooms.id", ondelete="CASCADE"), primary_key=True),
    Column("poll", Integer, primary_key=True),
    # A member's name, derived from room and visitor, so that members of two rooms cannot be connected.
    Column("member", String(32), primary_key=True),
    # As JSON.
    Column("answer", Text, nullable=False),
)

room_presses = Table(
    "room_presses",
    metadata,
    Column("room", String(32), ForeignKey("rooms.id", ondelete="CASCADE"), primary_key=True),
    # The step, in the form of a URL.
    Column("at", String(40), primary_key=True),
    Column("member", String(32), primary_key=True),
)

room_variants = Table(
    "room_variants",
    metadata,
    Column("room", String(32), ForeignKey("rooms.id", ondelete="CASCADE"), primary_key=True),
    # An `app.rooms.variants.KeptVariants`, compressed.
    Column("packed", LargeBinary, nullable=False),
)

recent_recordings = Table(
    "recent_recordings",
    metadata,
    # Recordings of the last half hour, for all webs on one PostgreSQL. Unused in SQLite, which has one web. The table is UNLOGGED:
    # a crash of the database may lose its rows.
    Column("hash", String(64), primary_key=True),
    Column("made", DateTime, nullable=False),
    # Duration of the run.
    Column("seconds", Float, nullable=False),
    # As in `recordings`; NULL: dropped to make room for later ones.
    Column("trace", LargeBinary, nullable=True),
    # Whether a link to it was deleted after its run.
    Column("is_forgotten", Boolean, nullable=False),
    Index(None, "made"),
)
