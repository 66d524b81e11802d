"""After the server is killed or the network fails, teacher and students reconnect, and no acknowledged change is lost."""

import time
from pathlib import Path

import pytest

from tests.rooms.classroom import Classroom, later
from tests.rooms.proxy import Proxy
from tests.sandbox.processes import PATIENCE
from tests.web.server import hosted, running

QUESTION = {"kind": "raises", "after": 0, "until": 9}
NO = {"kind": "whether", "whether": False}
SETTINGS = {"visitor_burst": "1e6", "address_burst": "1e6"}


def test_the_server_is_killed_in_mid_lecture(tmp_path: Path) -> None:
    with running(**SETTINGS) as killed, Proxy(killed.url) as proxy:
        room = Classroom(proxy.url)
        members = [room.member() for _ in range(10)]
        recording = members[0].state()["snippet"]["recording"]
        room.teacher.done("PATCH", "", {"at": "step=3"})
        asked = room.teacher.done("POST", "/poll", {"question": QUESTION})["id"]
        for member in members:
            member.done("POST", "/votes", {"poll": asked, "answer": NO})
        last = members[0].state()["n"]
        killed.kill()
        proxy.refuse()
        assert members[0].ask("GET", "/state").status_code == 502
        with hosted(data=str(killed.data), **SETTINGS) as again:
            proxy.lead_to(again.url)
            proxy.flow()
            for member in members:
                state = member.state(last, 20)
                assert state["n"] > last and state["at"] == "step=3", "asking wrote it"
                assert (state["poll"]["id"], state["poll"]["open"], state["votes"]["count"]) == (asked, True, 10)
            assert members[0].ask("GET", f"/document/{recording}").json()["source"].startswith("import torch")
            assert room.teacher.state()["votes"]["tally"] == [[NO, 10]]
            members[0].done("POST", "/votes", {"poll": asked, "answer": {"kind": "whether", "whether": True}})
            room.teacher.done("PATCH", "/poll", {"id": asked, "revealed": True})
            with members[1].events() as told:
                revealed = next(said["poll"] for _, said in told if (said.get("poll") or {}).get("right"))
                assert revealed["right"] == [NO]
                room.teacher.done("PATCH", "", {"at": "step=4"})
                assert next(said for _, said in told if "at" in said)["at"] == "step=4"
            room.__exit__()


def test_a_network_that_fails() -> None:
    with hosted(**SETTINGS) as server, Proxy(server.url) as proxy, Classroom(server.url) as room:
        far = room.member()
        far.client.base_url = proxy.url
        with far.events() as told:
            next(told)
            proxy.hold()
            for number in range(2, 12):
                room.teacher.done("PATCH", "", {"at": f"step={number}"})
            flowing = later(1.0, proxy.flow)
            assert next(said for _, said in told if said.get("at") == "step=11"), "after the packets that were lost"
            flowing.join()
            proxy.hang_up()
            with pytest.raises(Exception, match=r"peer closed|[Rr]eset|incomplete"):
                list(told)
        proxy.refuse()
        assert far.ask("GET", "/state").status_code == 502
        proxy.buffer()
        room.teacher.done("PATCH", "", {"at": "step=20"})
        assert far.state_until("at", "step=20"), "polling passes where streams are held back"
        proxy.flow()
        with far.events() as told:
            assert next(told)[1]["at"] == "step=20"


def test_stopping_ends_streams_at_once() -> None:
    with running(**SETTINGS) as server:
        room = Classroom(server.url)
        member = room.member()
        with member.events() as told:
            next(told)
            server.process.terminate()
            began = time.monotonic()
            list(told)
        server.process.wait(PATIENCE)
        assert time.monotonic() - began < 8, "sooner than the ten seconds that runs have"
        for person in room.people:
            person.client.close()
