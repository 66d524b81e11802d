"""Distinguishes a zygote that hangs from a slow zygote on a busy machine, by the process's state in the kernel."""

import os
import re
from pathlib import Path
from typing import Final

SLOWEST_SECONDS: Final = 30.0
"""Time without an answer after which a zygote always counts as hanging."""

TICK: Final = os.sysconf("SC_CLK_TCK")


class Pulse:
    """Signs of life of the process that `pidfd` refers to."""

    def __init__(self, pidfd: int, patience_seconds: float) -> None:
        self._pidfd = pidfd
        self._patience_seconds = patience_seconds
        self._cpu_before: float | None = None
        """The processor time at the first check of the unanswered ping."""
        self._still = 0
        """Number of consecutive checks in which the process neither ran nor waited for a processor or the disk."""

    def answered(self) -> None:
        """Reset the state, because the process sent a message."""
        self._cpu_before = None
        self._still = 0

    def hangs(self, silent_seconds: float) -> bool:
        """Whether the process hangs, checked repeatedly while a ping is unanswered.

        A process hangs if it sleeps or is stopped while the ping is unread, or if it had the processor for the whole time
        limit. A process that waits for a processor or the disk is only slow.
        """
        seen = self._activity()
        if seen is None:
            return silent_seconds >= SLOWEST_SECONDS
        state, cpu_seconds = seen
        self._still = 0 if state in "RD" else self._still + 1
        if self._cpu_before is None:
            self._cpu_before = cpu_seconds
        if silent_seconds < self._patience_seconds:
            return False
        used_seconds = cpu_seconds - self._cpu_before
        # One check is not enough: right after a suspension of the machine, the process has not had time to wake.
        return self._still >= 2 or used_seconds >= self._patience_seconds or silent_seconds >= SLOWEST_SECONDS

    def close(self) -> None:
        """Close the pidfd."""
        os.close(self._pidfd)

    def _activity(self) -> tuple[str, float] | None:
        """The state of the process (proc(5)) and its processor time in seconds; None if the state cannot be read."""
        try:
            pid = re.search(r"^Pid:\t(\d+)$", Path(f"/proc/self/fdinfo/{self._pidfd}").read_text(), re.MULTILINE)
            stat = Path(f"/proc/{pid[1]}/stat").read_text() if pid else ""
        except OSError:
            return None
        fields = stat.rpartition(")")[2].split()
        return (fields[0], (int(fields[11]) + int(fields[12])) / TICK) if fields else None
