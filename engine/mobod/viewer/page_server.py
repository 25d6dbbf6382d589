"""PageServer: one page that follows a running program, served to browsers on this computer by one thread."""

import asyncio
from functools import partial
from http import HTTPStatus
from secrets import token_urlsafe
from threading import Condition, Event, Thread
from typing import TYPE_CHECKING, Any, final

from mobod.errors import UnsupportedError

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response

_HOST = "127.0.0.1"
_INTERVAL = 1 / 60  # s between two messages
_MOST_SOCKETS = 64  # that are open at a time, of a few browsers
_FAREWELL = 2.0  # s, in which the last message is sent before the end


@final
class PageServer:
    """A page, and messages that it gets by a WebSocket. A browser gets the newest one, 60 times a second at most.

    url      the address of the page, which only this computer can reach, and only who knows it
    page     HTML
    message  the first one

    Requests by another name of this computer, and those of other pages, are refused. Raises UnsupportedError without websockets, OSError.
    """

    def __init__(self, page: bytes, message: bytes) -> None:
        try:
            from websockets.asyncio import server
        except ImportError as error:
            raise UnsupportedError("mobod.view needs websockets. Install it: python -m pip install 'mobod[view]'") from error
        self._library: Any = server
        self._page = page
        self._path = f"/{token_urlsafe(16)}"
        self._newest = (1, message)  # with a number; replaced as a whole, which threads may do
        self._is_closed = False
        self._seen, self._n_seen = Condition(), 0
        self._n_sockets = 0
        self._started = Event()
        self._failure: OSError | None = None
        self._thread = Thread(target=self._run, name="mobod view", daemon=True)
        self._thread.start()
        self._started.wait()
        if self._failure is not None:
            raise self._failure
        self._origin = f"http://{self._authority}"
        self.url = self._origin + self._path

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    def send(self, message: bytes) -> None:
        """Replace the message. Returns at once."""
        self._newest = (self._newest[0] + 1, message)
        self._wake()

    def wait_until_seen(self, seconds: float) -> bool:
        """Wait until a browser shows the page; returns whether one does."""
        with self._seen:
            return self._seen.wait_for(lambda: self._n_seen > 0, seconds)

    def close(self) -> None:
        """End the page, which gets the last message first."""
        if not self._is_closed:
            self._is_closed = True
            self._wake()
        self._thread.join()

    # ---- in the thread of the server ----

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._news, self._wakes = asyncio.Event(), False
        try:
            serving = await self._library.serve(
                self._follow, _HOST, 0, process_request=self._answer, compression=None, create_connection=self._connection_type()
            )
        except OSError as error:
            self._failure = error
            self._started.set()
            return
        self._authority = f"{_HOST}:{serving.sockets[0].getsockname()[1]}"
        self._started.set()
        while not self._is_closed:
            await self._news.wait()
        deadline = self._loop.time() + _FAREWELL
        while self._n_seen and self._loop.time() < deadline:
            await asyncio.sleep(_INTERVAL)
        serving.close()
        await serving.wait_closed()

    def _connection_type(self) -> type:
        """A connection that is counted from its first byte on, and closed at once if there are too many."""
        of_server = self

        class Counted(self._library.ServerConnection):  # type: ignore[misc, name-defined]  # websockets is optional
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                of_server._n_sockets += 1
                super().connection_made(transport)
                if of_server._n_sockets > _MOST_SOCKETS and isinstance(transport, asyncio.Transport):
                    transport.abort()

            def connection_lost(self, exc: Exception | None) -> None:
                of_server._n_sockets -= 1
                super().connection_lost(exc)

        return Counted

    def _wake(self) -> None:
        """Have the connections look for news, from any thread. A wake that is under way serves all messages until it arrives."""
        if not self._wakes:
            self._wakes = True
            self._loop.call_soon_threadsafe(self._wake_connections)

    def _wake_connections(self) -> None:
        self._wakes = False
        self._news.set()
        self._news = asyncio.Event()

    def _answer(self, connection: "ServerConnection", request: "Request") -> "Response | None":
        """The page, or None for a request of a WebSocket."""
        respond = partial(connection.respond, text="There is nothing here.\n")
        # another name for this computer is what a page of others uses after it has changed the address of its own name
        if request.headers.get_all("Host") != [self._authority]:
            return respond(HTTPStatus.MISDIRECTED_REQUEST)
        if request.path != self._path or request.headers.get("Origin", self._origin) != self._origin:
            return respond(HTTPStatus.NOT_FOUND)
        if request.headers.get("Upgrade", "").lower() == "websocket":
            return None
        response = connection.respond(HTTPStatus.OK, "")
        response.body = self._page
        del response.headers["Content-Type"], response.headers["Content-Length"]
        response.headers["Content-Type"], response.headers["Content-Length"] = "text/html; charset=utf-8", str(len(self._page))
        return response

    async def _follow(self, connection: "ServerConnection") -> None:
        """Send each browser the newest message."""
        from websockets.exceptions import ConnectionClosed

        self._count_seen(1)
        sent = 0
        try:
            while True:
                news = self._news
                number, message = self._newest
                if number != sent:
                    await connection.send(message)
                    sent = number
                    await asyncio.sleep(_INTERVAL)
                elif self._is_closed:
                    return
                else:
                    await news.wait()
        except ConnectionClosed:
            return  # the browser has left the page
        finally:
            self._count_seen(-1)

    def _count_seen(self, change: int) -> None:
        with self._seen:
            self._n_seen += change
            self._seen.notify_all()
