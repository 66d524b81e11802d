"""The header of traces in tests. This module is separate from generated.py, which needs the hypothesis profile of conftest."""

from app.trace.records import FORMAT, Header, Limits

HEADER = Header(format=FORMAT, stepgrad="0", python="3.11", torch="2.13.0", device="cpu", seed=0, limits=Limits())
