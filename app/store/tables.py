"""The tables of the store, as SQLAlchemy sees them; `migrations/` makes them.

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
    naming_convention={  # names that a later migration can drop by, the same on every database
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

recordings = Table(
    "recordings",
    metadata,
    # SHA-256 of the trace's canonical bytes, in hexadecimal: what a link shows can never change under it.
    Column("hash", String(64), primary_key=True),
    # The request and the versions (see `request_key`): the same request need not run again.
    Column("request", String(64), nullable=False),
    # Version of the trace format, as in its header.
    Column("format", Integer, nullable=False),
    # Bytes this row counts for in the store's size.
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
    # Whether the CPU stood in for a GPU.
    Column("stand_in", Boolean, nullable=False, server_default=false()),
    Column("recording", String(64), ForeignKey("recordings.hash"), nullable=False),
    Column("bytes", Integer, nullable=False),
    Column("created", DateTime, nullable=False),
    # When its recording was made again because the format had changed; NULL: it is the first one.
    Column("recorded_again", DateTime, nullable=True),
    # Day of the last visit, in UTC; at first that on which it was made.
    Column("visited", Date, nullable=False),
    # SHA-256 of the token that deletes it, in hexadecimal; NULL: it is of before there were any.
    Column("deletion", String(64), nullable=True),
    # When an operator held it back; NULL: it is shown.
    Column("held", DateTime, nullable=True),
    # The sharer's texts above it: a title and an author line. Empty: none.
    Column("title", Text, nullable=False, server_default=""),
    Column("author", Text, nullable=False, server_default=""),
    # The sharer's notes, as a JSON object: a step's address, and its note. Empty: none.
    Column("notes", Text, nullable=False, server_default=""),
    # The step at which it was made, in the form of an address: `step=8`. Empty: none.
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
    # It is deleted with its recording. A deletion subtracts the `bytes` of both from the size.
    Column("recording", String(64), ForeignKey("recordings.hash", ondelete="CASCADE"), primary_key=True),
    # Hash of the files of the app/explain that said it; another one's word is replaced.
    Column("explainer", String(64), nullable=False),
    # Bytes this row counts for in the store's size.
    Column("bytes", Integer, nullable=False),
    # The document without its trace, as JSON, compressed by zlib.
    Column("explanation", LargeBinary, nullable=False),
)

reports = Table(
    "reports",
    metadata,
    # It is deleted with its link, whose `bytes` include it.
    Column("snippet", String(16), ForeignKey("snippets.id", ondelete="CASCADE"), primary_key=True),
    # A visitor, hashed with the server's key and the link: it identifies no visitor, not even across links.
    Column("maker", String(64), primary_key=True),
    # In UTC.
    Column("day", Date, nullable=False),
    # One line in the visitor's words, or empty.
    Column("reason", Text, nullable=False),
)

lectures = Table(
    "lectures",
    metadata,
    # As of snippets: random, in `/l/<id>`.
    Column("id", String(16), primary_key=True),
    # What its teacher wrote above it; empty: nothing.
    Column("title", Text, nullable=False),
    Column("author", Text, nullable=False),
    # A JSON array of `app.lectures.LecturePart`. The links that it names may have been deleted since.
    Column("parts", Text, nullable=False),
    Column("bytes", Integer, nullable=False),
    Column("created", DateTime, nullable=False),
    # When it was edited last; NULL: never.
    Column("changed", DateTime, nullable=True),
    # As for snippets. A visit counts for all links that it shows.
    Column("visited", Date, nullable=False),
    # SHA-256 of the token that edits and deletes it, in hexadecimal.
    Column("deletion", String(64), nullable=False),
    # When an operator held it back; NULL: it is shown.
    Column("held", DateTime, nullable=True),
    Index(None, "visited"),
)

lecture_reports = Table(
    "lecture_reports",
    metadata,
    # As `reports`, about a lecture.
    Column("lecture", String(16), ForeignKey("lectures.id", ondelete="CASCADE"), primary_key=True),
    Column("maker", String(64), primary_key=True),
    Column("day", Date, nullable=False),
    Column("reason", Text, nullable=False),
)

size = Table(
    "size",
    metadata,
    # Of its only row: the sum of all `bytes`. A transaction that adds something locks this row until it commits.
    Column("bytes", BigInteger, nullable=False),
)

quotas = Table(
    "quotas",
    metadata,
    # In UTC. Rows of days that are over are deleted.
    Column("day", Date, primary_key=True),
    # An address or a visitor, hashed with the server's key and the day: it identifies none, not even across days.
    Column("maker", String(64), primary_key=True),
    # How many links it made on that day, and the bytes that they count for.
    Column("links", Integer, nullable=False),
    Column("bytes", BigInteger, nullable=False),
)

signing_keys = Table(
    "signing_keys",
    metadata,
    # From 1. The first one stays for ever, because this store's hashes use it.
    Column("number", Integer, primary_key=True, autoincrement=False),
    # 32 bytes by chance, in hexadecimal.
    Column("key", String(64), nullable=False),
    # It signs a while after that, when every web knows it.
    Column("made", DateTime, nullable=False),
)

rooms = Table(
    "rooms",
    metadata,
    # By chance, and never given twice: tokens of members are made from it.
    Column("id", String(32), primary_key=True),
    # What people type. It is free again when the room ends, which deletes the row.
    Column("code", String(8), nullable=False),
    # SHA-256 of the secret of each of the teacher's devices, as a JSON list.
    Column("secrets", Text, nullable=False),
    # How often it was taken over: the projector's secret is made from it.
    Column("takeovers", Integer, nullable=False),
    # The link whose token takes it over; NULL: none.
    Column("link", String(16), nullable=True),
    # The address that opened it, hashed with the server's key.
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
    # They go with their room, and those of earlier questions with the next one.
    Column("room", String(32), ForeignKey("rooms.id", ondelete="CASCADE"), primary_key=True),
    Column("poll", Integer, primary_key=True),
    # A member's name, made from the room and the visitor: it leads from no room to another.
    Column("member", String(32), primary_key=True),
    # As JSON.
    Column("answer", Text, nullable=False),
)

room_presses = Table(
    "room_presses",
    metadata,
    Column("room", String(32), ForeignKey("rooms.id", ondelete="CASCADE"), primary_key=True),
    # The step, in the form of an address.
    Column("at", String(40), primary_key=True),
    Column("member", String(32), primary_key=True),
)

room_variants = Table(
    "room_variants",
    metadata,
    Column("room", String(32), ForeignKey("rooms.id", ondelete="CASCADE"), primary_key=True),
    # The variants of `app.rooms.variants.KeptVariants`, packed.
    Column("packed", LargeBinary, nullable=False),
)

recent_recordings = Table(
    "recent_recordings",
    metadata,
    # Of the last half hour, for the other webs on one PostgreSQL; SQLite has one web, which needs none. Not logged: a crash of the
    # database may lose them.
    Column("hash", String(64), primary_key=True),
    Column("made", DateTime, nullable=False),
    # How long the run took.
    Column("seconds", Float, nullable=False),
    # As in `recordings`; NULL: it gave way to later ones.
    Column("trace", LargeBinary, nullable=True),
    # Whether a link to it was deleted since its run.
    Column("is_forgotten", Boolean, nullable=False),
    Index(None, "made"),
)
