"""Reproduce the environment of `docker run` without Docker, and execute a command in it.

Usage: `python -m tests.sandbox.surrounding STEP ... -- COMMAND ...`. The steps are the functions of this module, in the order
of execution.
"""

import json
import os
import platform
import signal
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NoReturn

from app.sandbox import unroot
from app.sandbox.inside import policy, seccomp, syscalls
from app.sandbox.inside.policy import ALLOW, Case, Cases, Rule, Test, refuse
from app.sandbox.inside.syscalls import (
    CLONE_NEWIPC,
    CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWUSER,
    CLONE_NEWUTS,
    MS_BIND,
    MS_NODEV,
    MS_NOSUID,
    MS_PRIVATE,
    MS_RDONLY,
    MS_REC,
    MS_REMOUNT,
)

PROJECT: Final = Path(__file__).parents[2]
PROFILE: Final = PROJECT / "seccomp.json"
UID: Final = 65530
"""The uid of the user in the Docker image."""

EPERM, ENOSYS = 1, 38
LANDLOCK: Final = {444: "landlock_create_ruleset", 445: "landlock_add_rule", 446: "landlock_restrict_self"}
ON_BOTH: Final = {"clone3": 435, "openat2": 437, **{name: number for number, name in LANDLOCK.items()}}
MORE_NUMBERS: Final = {
    "x86_64": ON_BOTH
    | {"flock": 73, "link": 86, "linkat": 265, "symlink": 88, "symlinkat": 266, "signalfd4": 289}
    | {"mbind": 237, "copy_file_range": 326, "sendfile": 40},
    "aarch64": ON_BOTH
    | {"flock": 32, "linkat": 37, "symlinkat": 36, "signalfd4": 74}
    | {"mbind": 235, "copy_file_range": 285, "sendfile": 71},
}
"""Numbers of system calls that are missing in policy.tbl."""

DOCKERS_CAPABILITIES: Final = (0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31)
"""The capabilities of root in a Docker container: CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, SETPCAP,
NET_BIND_SERVICE, NET_RAW, SYS_CHROOT, MKNOD, AUDIT_WRITE, SETFCAP.
"""
SYS_ADMIN: Final = 21

DENIED_BY_DOCKER: Final = """
    acct add_key bpf delete_module finit_module fsconfig fsmount fsopen fspick init_module ioperm iopl kexec_file_load kexec_load
    keyctl lookup_dcookie mount mount_setattr move_mount open_by_handle_at open_tree perf_event_open pivot_root quotactl
    quotactl_fd reboot request_key setdomainname sethostname setns settimeofday swapoff swapon syslog umount2 unshare uselib
    userfaultfd vhangup
""".split()
"""System calls in policy.tbl that Docker's default profile denies without CAP_SYS_ADMIN."""

MASKED: Final = "/proc/kcore /proc/keys /proc/timer_list /proc/acpi /proc/scsi /sys/firmware".split()
READ_ONLY: Final = "/proc/bus /proc/fs /proc/irq /proc/sys /proc/sysrq-trigger".split()


def main() -> NoReturn:
    """Execute the steps, and replace this process by the command."""
    separator = sys.argv.index("--")
    steps, command = sys.argv[1:separator], sys.argv[separator + 1 :]
    for step in steps:
        STEPS[step]()
    os.execvp(command[0], command)


def numbers() -> dict[str, int]:
    """Return the numbers of this machine's system calls by name."""
    machine = platform.machine()
    return {rule.name: rule.number for rule in policy.rules(machine)} | MORE_NUMBERS[machine]


def program(rules: list[Rule], default: int) -> bytes:
    """Return the BPF program of a seccomp filter for this machine."""
    return seccomp.assemble(platform.machine(), rules, default, own_pid=0)


def profile(content: dict[str, Any], known: dict[str, int]) -> tuple[list[Rule], int]:
    """Return the rules of a Docker seccomp profile, and its default action."""
    cases: dict[str, list[Case]] = {}
    refused: list[Rule] = []
    for rule in content["syscalls"]:
        if rule["action"] == "SCMP_ACT_ERRNO":
            assert rule.keys() == {"comment", "names", "action", "errnoRet"}
            answer = refuse(rule["errnoRet"])
            refused += [Rule(name=name, number=known[name], answer=answer) for name in rule["names"] if name in known]
            continue
        assert rule["action"] == "SCMP_ACT_ALLOW" and rule.keys() <= {"comment", "names", "action", "args"}
        tests = []
        for test in rule.get("args", []):
            assert test["op"] == "SCMP_CMP_EQ"
            tests.append(Test(argument=test["index"], values=(test["value"],)))
        for name in rule["names"]:
            if name in known:
                cases.setdefault(name, []).append(Case(ALLOW, tuple(tests)))
    default = refuse(content.get("defaultErrnoRet", EPERM))
    allowed = [
        Rule(name=name, number=known[name], answer=Cases(tuple(each), default) if each[0].tests else ALLOW)
        for name, each in cases.items()
    ]
    return [*allowed, *refused], default


# --- steps ------------------------------------------------------------------------------------------------------------


def no_landlock() -> None:
    """Make the system calls of Landlock fail as on a kernel without Landlock."""
    syscalls.no_new_privileges()
    seccomp.install(
        program([Rule(name=name, number=number, answer=refuse(ENOSYS)) for number, name in LANDLOCK.items()], ALLOW)
    )


def own_user_namespace() -> None:
    """Enter a user namespace without capabilities, in which sysctls can be changed."""
    uid, gid = os.geteuid(), os.getegid()
    syscalls.unshare(CLONE_NEWUSER)
    syscalls.set_dumpable(True)  # otherwise /proc/self belongs to root, and uid_map cannot be written
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")


def no_user_namespaces() -> None:
    """Set the sysctl user.max_user_namespaces to 0, in a separate user namespace."""
    own_user_namespace()
    Path("/proc/sys/user/max_user_namespaces").write_text("0")


def ubuntus_apparmor() -> None:
    """Mount a fake of the sysctl by which Ubuntu's AppArmor restricts user namespaces. It has no effect."""
    fake = Path(os.environ["STEPGRAD_DATA"]).with_name("kernel")
    fake.mkdir(mode=0o755)
    for name in ("cap_last_cap", "overflowuid", "overflowgid", "pid_max", "osrelease"):
        (fake / name).write_text(Path("/proc/sys/kernel", name).read_text())
    (fake / "apparmor_restrict_unprivileged_userns").write_text("1\n")
    syscalls.unshare(CLONE_NEWNS)
    syscalls.mount("none", "/", flags=MS_REC | MS_PRIVATE)
    syscalls.mount(str(fake), "/proc/sys/kernel", flags=MS_BIND)


def reachable() -> None:
    """Make Python, the project and the data readable by all users, as in the Docker image."""
    paths = [PROJECT, *map(Path, (sys.executable, sys.prefix, sys.base_prefix, *filter(None, sys.path)))]
    syscalls.unshare(CLONE_NEWNS)
    syscalls.mount("none", "/", flags=MS_REC | MS_PRIVATE)
    unroot._uncover([path.absolute() for path in paths if path.exists()], [], UID)


def container() -> None:
    """Enter new namespaces with a new PID 1 and with Docker's masked paths in /proc."""
    syscalls.unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS)
    child = os.fork()
    if child != 0:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, _: os.kill(child, number))
        while True:
            with suppress(InterruptedError):
                _, status = os.waitpid(child, 0)
                code = os.waitstatus_to_exitcode(status)
                os._exit(code if code >= 0 else 128 - code)
    syscalls.die_with_parent(signal.SIGKILL)
    syscalls.mount("none", "/", flags=MS_REC | MS_PRIVATE)
    syscalls.mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV)
    for path in filter(os.path.exists, MASKED):
        if os.path.isdir(path):
            syscalls.mount("tmpfs", path, "tmpfs", MS_RDONLY)
        else:
            syscalls.mount("/dev/null", path, flags=MS_BIND)
    for path in filter(os.path.exists, READ_ONLY):
        syscalls.mount(path, path, flags=MS_BIND | MS_REC)
        syscalls.mount("none", path, flags=MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV)


def read_only() -> None:
    """Reproduce `--read-only --tmpfs /tmp --volume data`."""
    data = os.environ["STEPGRAD_DATA"]
    syscalls.mount(data, data, flags=MS_BIND)
    syscalls.mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=64m")
    syscalls.mount("none", "/", flags=MS_BIND | MS_REMOUNT | MS_RDONLY)


def read_only_data() -> None:
    """Reproduce `--volume data:ro`."""
    data = os.environ["STEPGRAD_DATA"]
    syscalls.mount(data, data, flags=MS_BIND)
    syscalls.mount("none", data, flags=MS_BIND | MS_REMOUNT | MS_RDONLY)


def powerless_root() -> None:
    """Reproduce `--user 0 --cap-drop ALL`."""
    syscalls.empty_bounding_set()
    syscalls.drop_capabilities()


def dockers_root() -> None:
    """Keep uid 0 with the capabilities that Docker gives to root."""
    for capability in range(64):
        if capability not in DOCKERS_CAPABILITIES:
            with suppress(OSError):
                syscalls._prctl(syscalls._PR_CAPBSET_DROP, capability)
    mask = sum(1 << capability for capability in DOCKERS_CAPABILITIES)
    header = struct.pack("Ii", syscalls._LINUX_CAPABILITY_VERSION_3, 0)
    syscalls._checked("capset", syscalls._libc.capset(header, struct.pack("6I", mask, mask, 0, 0, 0, 0)))


def ordinary_user() -> None:
    """Become the image's user, with `--cap-drop ALL`."""
    os.setgroups([])
    syscalls.empty_bounding_set()
    os.setresgid(UID, UID, UID)
    os.setresuid(UID, UID, UID)


def no_new_privileges() -> None:
    """Reproduce `--security-opt no-new-privileges`."""
    syscalls.no_new_privileges()


def dockers_profile() -> None:
    """Install a seccomp filter with the relevant rules of Docker's default profile."""
    known = numbers()
    denied = [Rule(name=name, number=known[name], answer=refuse(EPERM)) for name in DENIED_BY_DOCKER if name in known]
    thread_or_fork = Case(ALLOW, (Test(argument=0, values=(0,), mask=policy.NEW_NAMESPACES & ~0x80),))
    clone = Rule(name="clone", number=known["clone"], answer=Cases((thread_or_fork,), refuse(EPERM)))
    seccomp.install(program([*denied, clone, Rule(name="clone3", number=known["clone3"], answer=refuse(ENOSYS))], ALLOW))


def our_profile() -> None:
    """Reproduce `--security-opt seccomp=seccomp.json`."""
    seccomp.install(program(*profile(json.loads(PROFILE.read_text()), numbers())))


def our_profile_in_old_docker() -> None:
    """Like `our_profile`, but in Docker 20.10, which ignores defaultErrnoRet."""
    content = json.loads(PROFILE.read_text())
    del content["defaultErrnoRet"]
    seccomp.install(program(*profile(content, numbers())))


def no_threads() -> None:
    """Let clone3 fail with EPERM, as in Docker 20.10. glibc then does not try clone instead."""
    seccomp.install(program([Rule(name="clone3", number=numbers()["clone3"], answer=refuse(EPERM))], ALLOW))


STEPS: Final[dict[str, Callable[[], None]]] = {
    step.__name__: step
    for step in (
        no_landlock,
        own_user_namespace,
        no_user_namespaces,
        ubuntus_apparmor,
        reachable,
        container,
        read_only,
        read_only_data,
        powerless_root,
        dockers_root,
        ordinary_user,
        no_new_privileges,
        dockers_profile,
        our_profile,
        our_profile_in_old_docker,
        no_threads,
    )
}

if __name__ == "__main__":
    main()
