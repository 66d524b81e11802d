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
    # The key of the request (see `request_key`). A request with the same key may reuse the recording.
    Column("request", String(64), nullable=False),
    # Version of the trace format, as in its header.
    Column("format", Integer, nullable=False),
    # Bytes of this row in the store's size.
    Column("bytes", Integer, nullable=False),
    Column("created", DateTime, nullable=False),
    # The trace's canonical bytes, compressed with zlib.
    Column("trace", LargeBinary, nullable=False),
    Index(None, "request"),
)

snippets = Table(
    "snippets",
    metadata,
    # The id in the link's URL, which is random, so that nobody can guess an id.
    Column("id", String(16), primary_key=True),
    Column("source", Text, nullable=False),
    Column("seed", BigInteger, nullable=False),
    # Whether the snippet ran on the CPU in place of a GPU.
    Column("stand_in", Boolean, nullable=False, server_default=false()),
    Column("recording", String(64), ForeignKey("recordings.hash"), nullable=False),
    Column("bytes", Integer, nullable=False),
    Column("created", DateTime, nullable=False),
    # When a new recording replaced the link's recording; NULL: never.
    Column("recorded_again", DateTime, nullable=True),
    # Day of the last visit, in UTC; initially the day of the creation.
    Column("visited", Date, nullable=False),
    # SHA-256 of the deletion token, in hexadecimal; NULL: the link is older than tokens.
    Column("deletion", String(64), nullable=True),
    # The time at which an operator held the row; NULL: not held.
    Column("held", DateTime, nullable=True),
    # The sharer's title and name. Empty: none.
    Column("title", Text, nullable=False, server_default=""),
    Column("author", Text, nullable=False, server_default=""),
    # The sharer's notes, as a JSON object from steps (`step=8`) to notes. Empty: none.
    Column("notes", Text, nullable=False, server_default=""),
    # The step at which the link was created, in the form of a URL: `step=8`. Empty: none.
    Column("shown", String(40), nullable=False, server_default=""),
    # The link from which the snippet was edited. This link may be deleted. NULL: none.
    Column("parent", String(16), nullable=True),
    # Whether the sharer chose this recording. False for older links, which may show a run that ended by accident.
    Column("chosen", Boolean, nullable=False, server_default=false()),
    Index(None, "recording"),
    Index(None, "visited"),
)

explanations = Table(
    "explanations",
    metadata,
    # The row is deleted with its recording. A deletion subtracts the `bytes` of both rows from the size.
    Column("recording", String(64), ForeignKey("recordings.hash", ondelete="CASCADE"), primary_key=True),
    # Hash of the source files of app/explain. A new explanation replaces an explanation by another version.
    Column("explainer", String(64), nullable=False),
    # Bytes of this row in the store's size.
    Column("bytes", Integer, nullable=False),
    # The document without its trace, as JSON, compressed by zlib.
    Column("explanation", LargeBinary, nullable=False),
)

reports = Table(
    "reports",
    metadata,
    # The row is deleted with its link. The `bytes` of the link include this row.
    Column("snippet", String(16), ForeignKey("snippets.id", ondelete="CASCADE"), primary_key=True),
    # A visitor, hashed with the server's key and the link, so that reports about two links cannot be connected.
    Column("maker", String(64), primary_key=True),
    # The day of the report, in UTC.
    Column("day", Date, nullable=False),
    # One line in the visitor's words, or empty.
    Column("reason", Text, nullable=False),
)

lectures = Table(
    "lectures",
    metadata,
    # The random id in the URL `/l/<id>`, as for snippets.
    Column("id", String(16), primary_key=True),
    # The teacher's title and name. Empty: none.
    Column("title", Text, nullable=False),
    Column("author", Text, nullable=False),
    # A JSON array of `app.lectures.LecturePart`. The links in the parts may be deleted.
    Column("parts", Text, nullable=False),
    Column("bytes", Integer, nullable=False),
    Column("created", DateTime, nullable=False),
    # The time of the last edit; NULL: never.
    Column("changed", DateTime, nullable=True),
    # Day of the last visit, as for snippets. A visit also counts for all links in the lecture.
    Column("visited", Date, nullable=False),
    # SHA-256 of the token for editing and deleting the lecture, in hexadecimal.
    Column("deletion", String(64), nullable=False),
    # The time at which an operator held the row; NULL: not held.
    Column("held", DateTime, nullable=True),
    Index(None, "visited"),
)

lecture_reports = Table(
    "lecture_reports",
    metadata,
    # The columns are the same as in `reports`.
    Column("lecture", String(16), ForeignKey("lectures.id", ondelete="CASCADE"), primary_key=True),
    Column("maker", String(64), primary_key=True),
    Column("day", Date, nullable=False),
    Column("reason", Text, nullable=False),
)

size = Table(
    "size",
    metadata,
    # The table has one row, with the sum of all `bytes`. A transaction that adds or deletes rows locks this row until the
    # commit.
    Column("bytes", BigInteger, nullable=False),
)

quotas = Table(
    "quotas",
    metadata,
    # The day in UTC. Rows of past days are deleted.
    Column("day", Date, primary_key=True),
    # An address or a visitor, hashed with the server's key and the day, so that two days cannot be connected.
    Column("maker", String(64), primary_key=True),
    # Number and bytes of the links created on that day.
    Column("links", Integer, nullable=False),
    Column("bytes", BigInteger, nullable=False),
)

signing_keys = Table(
    "signing_keys",
    metadata,
    # The keys of a store are numbered from 1. The first key is never deleted, because hashes in this store use that key.
    Column("number", Integer, primary_key=True, autoincrement=False),
    # 32 random bytes, in hexadecimal.
    Column("key", String(64), nullable=False),
    # The time of the creation. The key signs some time later, when every web has loaded the key.
    Column("made", DateTime, nullable=False),
)

rooms = Table(
    "rooms",
    metadata,
    # A random id, which is never reused, because the tokens of members derive from the id.
    Column("id", String(32), primary_key=True),
    # The code that people type. Another room can reuse the code after the end of the room, which deletes the row.
    Column("code", String(8), nullable=False),
    # SHA-256 of the secret of each of the teacher's devices, as a JSON list.
    Column("secrets", Text, nullable=False),
    # Number of takeovers, from which the projector's secret is derived.
    Column("takeovers", Integer, nullable=False),
    # The link whose deletion token allows a takeover; NULL: none.
    Column("link", String(16), nullable=True),
    # The networks of the address that opened the room, hashed with the server's key and joined by dots.
    Column("opener", String(64), nullable=False),
    Column("opened", DateTime, nullable=False),
    # The state and question of the room (`app.rooms.room_record.KeptState`), as JSON.
    Column("state", Text, nullable=False),
    # Incremented by each process that takes the room over. A process with an earlier number may not write.
    Column("fence", Integer, nullable=False, server_default="0"),
    Index("ix_rooms_code", "code", unique=True),
)

room_votes = Table(
    "room_votes",
    metadata,
    # The rows are deleted with their room, or with the next question.
    Column("room", String(32), ForeignKey("rooms.id", ondelete="CASCADE"), primary_key=True),
    Column("poll", Integer, primary_key=True),
    # A member's name, derived from the room and the visitor, so that members of two rooms cannot be connected.
    Column("member", String(32), primary_key=True),
    # The answer, as JSON.
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
    # Recordings of the last half hour, for all webs on one PostgreSQL. SQLite, which has only one web, does not use this table.
    # The table is UNLOGGED, so a crash of the database may lose its rows.
    Column("hash", String(64), primary_key=True),
    Column("made", DateTime, nullable=False),
    # Duration of the run.
    Column("seconds", Float, nullable=False),
    # The trace as in `recordings`; NULL: dropped in favour of later recordings.
    Column("trace", LargeBinary, nullable=True),
    # Whether a link to the recording was deleted after the run.
    Column("is_forgotten", Boolean, nullable=False),
    Index(None, "made"),
)
