"""The header of traces in tests, separate from random traces, which need the hypothesis profile of conftest first."""

from app.trace.records import FORMAT, Header, Limits

HEADER = Header(format=FORMAT, stepgrad="0", python="3.11", torch="2.13.0", device="cpu", seed=0, limits=Limits())
