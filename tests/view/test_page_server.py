"""The server of mb.view: one thread for any number of sockets, and answers only to the page's own address."""

import http.client
import socket
import threading
import time
from contextlib import suppress

import pytest
from websockets.sync.client import connect

from mobod.viewer.page_server import PageServer


@pytest.fixture
def served():
    server = PageServer(b"<p>a page</p>", b"first")
    yield server
    server.close()


def address(server) -> tuple[str, int, str]:
    authority, path = server.url.removeprefix("http://").split("/")
    host, port = authority.split(":")
    return host, int(port), f"/{path}"


def get(server, **headers: str) -> tuple[int, bytes]:
    host, port, path = address(server)
    connection = http.client.HTTPConnection(host, port, timeout=20)
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    return response.status, response.read()


def test_a_browser_gets_the_page_and_the_newest_message_until_the_end(served):
    assert get(served) == (200, b"<p>a page</p>")
    assert not served.wait_until_seen(0.0)
    with connect(served.url.replace("http", "ws")) as browser:
        assert browser.recv(timeout=20) == b"first"
        assert served.wait_until_seen(20.0)
        for number in range(1000):
            served.send(b"%d" % number)
        seen = [browser.recv(timeout=20)]
        while seen[-1] != b"999":
            seen.append(browser.recv(timeout=20))
        assert len(seen) < 900  # sixty a second at most; the others were replaced
        served.send(b"last")
        served.close()
        assert browser.recv(timeout=20) == b"last"


@pytest.mark.parametrize("headers", [{"Host": "attacker.example"}, {"Host": "localhost:1"}, {"Origin": "http://attacker.example"}])
def test_requests_by_another_name_or_of_another_page_are_refused(served, headers):
    status, body = get(served, **headers)
    assert status in (404, 421)
    assert b"a page" not in body


@pytest.mark.slow
def test_three_hundred_sockets_start_no_thread_and_do_not_lock_out_a_browser(served):
    host, port, _ = address(served)
    before = threading.active_count()
    sockets = [socket.create_connection((host, port), timeout=20) for _ in range(300)]
    closed = 0
    for each in sockets[100:]:  # more than are kept open
        each.settimeout(20)
        try:
            closed += each.recv(1) == b""
        except ConnectionResetError:
            closed += 1
    assert (closed, threading.active_count()) == (200, before)
    for each in sockets:
        each.close()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:  # the server has yet to see that they are closed
        with suppress(ConnectionError, http.client.HTTPException):
            if get(served)[0] == 200:
                return
    pytest.fail("no page is served after the sockets were closed")
