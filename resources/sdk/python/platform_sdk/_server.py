"""The HTTP server inside a bot that answers queries."""

import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote, urlsplit

from ._guard import refusal
from ._json import dumps

Answer = Callable[[str, Mapping[str, str]], tuple[int, str]]

_BODY_BYTES = 64 * 1024
_DEFAULT_PORT = 9476
_SLOW_SECONDS = 10
# The host lets go of a connection sooner, so that none ends under its next request.
_IDLE_SECONDS = 30
_MOST_KEPT = 8
# What a refused client may still send, so that closing does not destroy the answer on its way.
_FAREWELL_SECONDS = 1
_FAREWELL_BYTES = 16 << 20


class _BadRequest(Exception):
    pass


def _merge(query: str, body: bytes) -> dict[str, str]:
    """Parameters of the address, then of the JSON body, which wins."""
    params = dict(parse_qsl(query, keep_blank_values=True))
    if not body.strip():
        return params
    try:
        given = json.loads(body)
    except ValueError as cause:
        raise _BadRequest(f"the body is not JSON: {cause}") from cause
    if not isinstance(given, dict):
        raise _BadRequest("the body is no JSON object")
    return params | {name: value if isinstance(value, str) else dumps(value) for name, value in given.items()}


def _handler_class(answer: Answer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = _SLOW_SECONDS
        # Head and body leave in one packet: the second of two would wait for the first to be acknowledged.
        wbufsize = -1
        disable_nagle_algorithm = True

        def log_message(self, format: str, *args: object) -> None:
            """Requests are not lines of the bot's log."""

        def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
            """Answers what is no request, or has another method than ours, in our form instead of a page of HTML."""
            # Without a version that can be read it would send no status line.
            self.request_version = self.protocol_version
            self._refuse(f"send GET or POST, not {self.command}" if code == 501 else str(message or code))

        def _refuse(self, why: object) -> None:
            # What is left of the body would be read as the next request.
            self.close_connection = True
            self._send(400, dumps({"status": "error", "error": f"Bad request: {why}"}))
            self._drain()

        def parse_request(self) -> bool:
            if not super().parse_request():
                return False
            refused = refusal(self.headers)
            if refused is None:
                return True
            self.close_connection = True
            self._send(refused[0], dumps({"status": "error", "error": refused[1]}))
            self._drain()
            return False

        def _drain(self) -> None:
            try:
                self.wfile.flush()
                self.connection.shutdown(socket.SHUT_WR)
                deadline = time.monotonic() + _FAREWELL_SECONDS
                taken = 0
                while taken < _FAREWELL_BYTES and (left := deadline - time.monotonic()) > 0:
                    self.connection.settimeout(left)
                    piece = self.connection.recv(65536)
                    if not piece:
                        return
                    taken += len(piece)
            except OSError:
                return

        def _body(self) -> bytes:
            self.connection.settimeout(_SLOW_SECONDS)
            if self.headers.get("Transfer-Encoding"):
                raise _BadRequest("send the body with a Content-Length")
            text = self.headers.get("Content-Length", "0")
            if not (text.isascii() and text.isdigit()):
                raise _BadRequest("Content-Length is no number")
            if int(text) > _BODY_BYTES:
                raise _BadRequest(f"the body is larger than {_BODY_BYTES} bytes")
            body = self.rfile.read(int(text))
            if len(body) < int(text):
                raise _BadRequest("the body ends early")
            return body

        def _respond(self) -> None:
            try:
                if not self.path.startswith("/"):
                    raise _BadRequest("the address must be a path")
                parts = urlsplit(self.path)
                code, text = answer(unquote(parts.path), _merge(parts.query, self._body()))
            except (_BadRequest, ValueError) as failure:
                self._refuse(failure)
            else:
                self._send(code, text)

        def _send(self, code: int, text: str) -> None:
            body = text.encode("utf-8", "replace")
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            # Each kept connection holds a thread.
            keeps = not self.close_connection and threading.active_count() <= _MOST_KEPT
            self.send_header("Connection", "keep-alive" if keeps else "close")
            self.end_headers()
            self.wfile.write(body)
            self.connection.settimeout(_IDLE_SECONDS)

        do_GET = _respond
        do_POST = _respond

    return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is no fault of the bot; anything else is reported."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


def serve(answer: Answer) -> None:
    """Serves queries on QUERY_PORT of this machine (in a container: PLATFORM_QUERY_BIND) until SIGTERM or SIGINT."""
    env = os.environ
    port = int(env.get("QUERY_PORT") or env.get("PLATFORM_QUERY_PORT") or _DEFAULT_PORT)
    server = _Server((env.get("PLATFORM_QUERY_BIND") or "127.0.0.1", port), _handler_class(answer))

    def stop(signum: int, frame: object) -> None:
        # shutdown() waits for the loop below, so it cannot be called on the loop's own thread.
        threading.Thread(target=server.shutdown, daemon=True).start()

    if threading.current_thread() is threading.main_thread():
        for name in (signal.SIGTERM, signal.SIGINT):
            # A program that handles the signal itself keeps doing so.
            if signal.getsignal(name) in (signal.SIG_DFL, signal.default_int_handler):
                signal.signal(name, stop)
    with server:
        server.serve_forever(poll_interval=0.1)
