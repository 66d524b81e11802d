"""The header that tests use for their traces.

The header is not defined in generated.py, because importing generated.py needs the hypothesis profile from conftest.
"""

from app.trace.records import FORMAT, Header, Limits

HEADER = Header(format=FORMAT, stepgrad="0", python="3.11", torch="2.13.0", device="cpu", seed=0, limits=Limits())
