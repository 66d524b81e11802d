"""Stepgrad for other people's programs: what `import stepgrad` gives. Installed beside `app`, which nobody else imports.

import stepgrad

with stepgrad.record() as recording:
    ...
recording.save("run.json")
"""

from app import __version__
from app.tracer.library import Recorded, record

__all__ = ["Recorded", "__version__", "record"]
