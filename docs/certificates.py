"""Certificates of webs and workers, by openssl: `python3 docs/certificates.py authority web-1 worker-1=10.0.0.5` in a new folder.

`authority` makes two authorities, one of webs and one of workers. Their keys stay in this folder: use a machine that only operators
reach. `web-NAME` and `worker-NAME=ADDRESS` make NAME.pem and NAME.key; HAProxy needs the first, which contains the key.
STEPGRAD_TLS_AUTHORITY is webs.pem for a worker, and workers.pem for a web.

To revoke a worker: `revoke worker-1` here, which writes revoked.pem; copy that to each machine with HAProxy, and there
`tell worker-1 SOCKET REVOKED`, with the path of revoked.pem as haproxy-workers.cfg has it. The runs of the worker end at once.
Because revoked.pem is a file, a restart of HAProxy changes nothing. On one machine: `revoke worker-1 SOCKET REVOKED`.
"""

import os
import socket
import subprocess
import sys
from pathlib import Path

CONFIGURATION = """
[ca]
default_ca = authority
[authority]
database = {kind}.index
new_certs_dir = {kind}-issued
serial = {kind}.serial
certificate = {kind}.pem
private_key = {kind}.key
default_md = sha256
default_days = 825
default_crl_days = 3650
policy = any
copy_extensions = copy
unique_subject = no
[any]
commonName = supplied
"""
NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


def openssl(*arguments: str, accepts: str | None = None) -> None:
    """Run openssl. Raises SystemExit with its error, unless that contains `accepts`."""
    ended = subprocess.run(["openssl", *arguments], capture_output=True, text=True, check=False)
    if ended.returncode and not (accepts and accepts in ended.stderr):
        sys.exit(f"openssl {arguments[0]}: {ended.stderr.strip()}")


def authority(kind: str) -> None:
    """Make an authority with an empty list of revoked certificates. Raises SystemExit if there is one."""
    if Path(f"{kind}.key").exists():
        sys.exit(f"{kind}.key exists: a new authority would make all certificates of this one invalid.")
    Path(f"{kind}-issued").mkdir()
    Path(f"{kind}.cnf").write_text(CONFIGURATION.format(kind=kind))
    Path(f"{kind}.index").touch()
    Path(f"{kind}.serial").write_text("1000\n")
    openssl(
        "req",
        "-x509",
        *NEW_KEY,
        "-days",
        "3650",
        "-subj",
        f"/CN=Stepgrad {kind}",
        "-keyout",
        f"{kind}.key",
        "-out",
        f"{kind}.pem",
    )
    if kind == "workers":
        list_revoked()


def list_revoked() -> None:
    """Write revoked.pem."""
    openssl("ca", "-config", "workers.cnf", "-gencrl", "-out", "revoked.pem")


def certificate(name: str, address: str) -> None:
    """Make NAME.pem, which ends with its key for HAProxy, and NAME.key. Raises SystemExit for another kind of name."""
    kind = f"{name.partition('-')[0]}s"
    if kind not in ("webs", "workers"):
        sys.exit(f"{name} is neither web-NAME nor worker-NAME, and these have different rights.")
    is_number = address.replace(".", "").isdecimal() or ":" in address
    names = f"subjectAltName={'IP' if is_number else 'DNS'}:{address or name}"
    openssl("req", *NEW_KEY, "-subj", f"/CN={name}", "-addext", names, "-keyout", f"{name}.key", "-out", f"{name}.csr")
    openssl("ca", "-batch", "-notext", "-config", f"{kind}.cnf", "-in", f"{name}.csr", "-out", f"{name}.pem")
    with Path(f"{name}.pem").open("a") as whole:
        whole.write(Path(f"{name}.key").read_text())
    Path(f"{name}.csr").unlink()


def revoke(name: str) -> None:
    """Add a worker to revoked.pem. Raises SystemExit for a web: each worker would need the list."""
    if not name.startswith("worker-"):
        sys.exit("Only workers can be revoked. For a web, make new authorities in another folder.")
    openssl("ca", "-config", "workers.cnf", "-revoke", f"{name}.pem", accepts="Already revoked")
    list_revoked()


def tell(name: str, haproxy: str, revoked: str) -> None:
    """End the runs of a worker, keep new ones from it, and give HAProxy the list of revoked certificates."""
    for backend in ("runs", "next"):
        say(haproxy, f"set server {backend}/{name} state maint\n")
        say(haproxy, f"shutdown sessions server {backend}/{name}\n")
    say(haproxy, f"set ssl crl-file {revoked} <<\n{Path(revoked).read_text()}\n")
    say(haproxy, f"commit ssl crl-file {revoked}\n")


def say(haproxy: str, command: str) -> None:
    """Send a command to the socket of HAProxy. Raises SystemExit where it refuses."""
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(haproxy)
        client.sendall(command.encode())
        answer = b"".join(iter(lambda: client.recv(4096), b"")).decode().strip()
    if answer and "Success" not in answer and "created" not in answer.lower() and "updated" not in answer.lower():
        sys.exit(f"HAProxy: {answer}")


def main(words: list[str]) -> None:
    """Do what the words say."""
    os.umask(0o077)
    match words:
        case ["revoke", name]:
            return revoke(name)
        case ["revoke", name, haproxy, revoked]:
            revoke(name)
            return tell(name, haproxy, revoked)
        case ["tell", name, haproxy, revoked]:
            return tell(name, haproxy, revoked)
    for word in words:
        if word == "authority":
            authority("webs")
            authority("workers")
        else:
            name, _, address = word.partition("=")
            certificate(name, address)
    return None


if __name__ == "__main__":
    main(sys.argv[1:])
