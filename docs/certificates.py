"""Certificates of webs and workers, by openssl: `python3 docs/certificates.py authority web-1 worker-1=10.0.0.5` in a new folder.

The first word makes two authorities, one of webs and one of workers. Their keys stay in this folder: use a machine that only
operators reach. Each other word makes NAME.pem and NAME.key; the certificate of a worker names its address.
STEPGRAD_TLS_AUTHORITY is webs.pem for a worker, and workers.pem for a web.

`python3 docs/certificates.py revoke worker-1 /run/haproxy/admin.sock` adds a worker to revoked.pem and notifies a running HAProxy,
which ends the runs of that worker and refuses its certificate. Because revoked.pem is a file, a restart changes nothing.
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
new_certs_dir = .
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


def openssl(*arguments: str) -> None:
    """Run openssl. Raises SystemExit with its error."""
    ended = subprocess.run(["openssl", *arguments], capture_output=True, text=True, check=False)
    if ended.returncode:
        sys.exit(f"openssl {arguments[0]}: {ended.stderr.strip()}")


def authority(kind: str) -> None:
    """Make an authority with an empty list of revoked certificates."""
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
    """Make NAME.pem, which ends with its key for HAProxy, and NAME.key."""
    kind = "workers" if name.startswith("worker") else "webs"
    is_number = address.replace(".", "").isdecimal() or ":" in address
    names = f"subjectAltName={'IP' if is_number else 'DNS'}:{address or name}"
    openssl("req", *NEW_KEY, "-subj", f"/CN={name}", "-addext", names, "-keyout", f"{name}.key", "-out", f"{name}.csr")
    openssl("ca", "-batch", "-notext", "-config", f"{kind}.cnf", "-in", f"{name}.csr", "-out", f"{name}.pem")
    with Path(f"{name}.pem").open("a") as whole:
        whole.write(Path(f"{name}.key").read_text())
    Path(f"{name}.csr").unlink()


def revoke(name: str, haproxy: str) -> None:
    """Revoke the certificate of a worker, and tell HAProxy."""
    openssl("ca", "-config", "workers.cnf", "-revoke", f"{name}.pem")
    list_revoked()
    if not haproxy:
        return
    revoked = Path("revoked.pem")
    say(haproxy, f"set ssl crl-file {revoked.absolute()} <<\n{revoked.read_text()}\n")
    say(haproxy, f"commit ssl crl-file {revoked.absolute()}\n")
    for backend in ("runs", "next"):
        say(haproxy, f"set server {backend}/{name} state maint\n")
        say(haproxy, f"shutdown sessions server {backend}/{name}\n")


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
    if words[:1] == ["revoke"]:
        return revoke(words[1], words[2] if len(words) > 2 else "")
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
