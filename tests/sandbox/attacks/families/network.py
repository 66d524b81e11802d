"""Attacks with sockets of every address family."""

from app.sandbox.inside.layers import Layer
from tests.sandbox.attacks.attack import Attack

ATTACKS = [
    Attack(
        number=34,
        name="a port of the host",
        source="import socket\nattempt('connect', socket.create_connection, ('127.0.0.1', PORT), 1)",
        says="connect: EPERM",
        held_by=frozenset({Layer.SECCOMP, Layer.BUBBLEWRAP, Layer.LANDLOCK}),
    ),
    Attack(
        number=35,
        name="a port of its own",
        source="""
import socket
attempt('listen', socket.create_server, ('127.0.0.1', 0))
attempt('bind', socket.create_server, ('127.0.0.1', 8123))
""",
        says="listen: EPERM.*bind: EPERM",
        held_by=frozenset({Layer.SECCOMP, Layer.LANDLOCK}),
    ),
    Attack(
        number=36,
        name="names",
        source="import socket\nattempt('DNS', socket.getaddrinfo, 'example.com', 80)",
        says="DNS: -",
    ),
    Attack(
        number=37,
        name="sockets of every family",
        source="""
import socket
got = {}
for family in range(0, 47):
    for kind in (1, 2, 3, 5):
        why = refusal(lambda: socket.socket(family, kind))
        got.setdefault(why, []).append((family, kind))
print({why: len(those) for why, those in got.items()})
if '' in got: print('BREACH', got[''])
""",
        says=r"^{'EPERM': 188}",
        held_by=frozenset({Layer.SECCOMP}),
    ),
    Attack(
        number=38,
        name="an abstract socket of the host",
        source="import socket\nattempt('connect', lambda: socket.socket(socket.AF_UNIX).connect(ABSTRACT))",
        says="connect: EPERM",
        held_by=frozenset({Layer.SECCOMP, Layer.BUBBLEWRAP, Layer.LANDLOCK}),
    ),
    Attack(
        name="a pair of sockets",
        source="import socket\nattempt('socketpair', socket.socketpair)",
        says="socketpair: EPERM",
        held_by=frozenset({Layer.SECCOMP}),
    ),
]
