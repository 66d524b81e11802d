"""Create certificates for webs and workers with openssl. In a new folder, run
`python3 docs/certificates.py authority web-1 worker-1=10.0.0.5`.

`authority` creates two certificate authorities, one for webs and one for workers. Their keys stay in this folder, so use a
machine that only operators can access. `web-NAME` and `worker-NAME=ADDRESS` create NAME.pem and NAME.key. HAProxy needs only
NAME.pem, which also contains the key. STEPGRAD_TLS_AUTHORITY is webs.pem for a worker, and workers.pem for a web.

To revoke a worker, run `revoke worker-1` in the same folder, copy the new revoked.pem to each machine with HAProxy, and run
`tell worker-1 SOCKET REVOKED` there. SOCKET and REVOKED are the paths of the socket and of revoked.pem in haproxy-workers.cfg.
The runs of the worker end at once. HAProxy reads revoked.pem whenever it starts, so the worker stays revoked. If HAProxy runs
on the same machine, `revoke worker-1 SOCKET REVOKED` does both.
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
    """Run openssl. If openssl fails, raises SystemExit with the error, unless the error contains `accepts`."""
    ended = subprocess.run(["openssl", *arguments], capture_output=True, text=True, check=False)
    if ended.returncode and not (accepts and accepts in ended.stderr):
        sys.exit(f"openssl {arguments[0]}: {ended.stderr.strip()}")


def authority(kind: str) -> None:
    """Create an authority. For workers, also write an empty list of revoked certificates. Raises SystemExit if it exists."""
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
    """Create NAME.key, and NAME.pem with the certificate and, for HAProxy, the key. Raises SystemExit if the name begins with
    neither "web-" nor "worker-"."""
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
    """Add a worker to revoked.pem. Raises SystemExit for a web, because each worker would need the list."""
    if not name.startswith("worker-"):
        sys.exit("Only workers can be revoked. For a web, make new authorities in another folder.")
    openssl("ca", "-config", "workers.cnf", "-revoke", f"{name}.pem", accepts="Already revoked")
    list_revoked()


def tell(name: str, haproxy: str, revoked: str) -> None:
    """End the runs of a worker, send it no new runs, and load the list of revoked certificates into HAProxy."""
    for backend in ("runs", "next"):
        say(haproxy, f"set server {backend}/{name} state maint\n")
        say(haproxy, f"shutdown sessions server {backend}/{name}\n")
    say(haproxy, f"set ssl crl-file {revoked} <<\n{Path(revoked).read_text()}\n")
    say(haproxy, f"commit ssl crl-file {revoked}\n")


def say(haproxy: str, command: str) -> None:
    """Send a command to the socket of HAProxy. Raises SystemExit if HAProxy refuses the command."""
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(haproxy)
        client.sendall(command.encode())
        answer = b"".join(iter(lambda: client.recv(4096), b"")).decode().strip()
    if answer and "Success" not in answer and "created" not in answer.lower() and "updated" not in answer.lower():
        sys.exit(f"HAProxy: {answer}")


def main(words: list[str]) -> None:
    """Run the command that the arguments name."""
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
