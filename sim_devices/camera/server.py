"""An IP camera: hands out the picture of this moment over HTTP, at the address that AXIS cameras have for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from typing import Any

from sim_devices.camera.picturing import Picture

PATH = "/axis-cgi/jpg/image.cgi"
QUALITY = 95  # of JPEG


class CameraServer:
    """A camera at `http://127.0.0.1:port/axis-cgi/jpg/image.cgi`, until it is closed."""

    def __init__(self, picture: Callable[[], Picture], serial_number: str = "SIM-CAMERA", port: int = 0) -> None:
        """Begin.

        Args:
            picture: the picture of this moment.
            serial_number: told with every picture.
            port: 0 is any that is free.
        """
        handler = _handler(picture, serial_number)
        self._server = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """URL of its picture."""
        return f"http://127.0.0.1:{self._server.server_address[1]}{PATH}"

    def close(self) -> None:
        """End it."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(picture: Callable[[], Picture], serial_number: str) -> type[BaseHTTPRequestHandler]:
    cv2: Any = import_module("cv2")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != PATH:
                self.send_error(404)
                return
            _, data = cv2.imencode(".jpg", picture(), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
            self.send_response(200)
            self.send_header("Content-Type", "image/jpeg")
            self.send_header("X-Serial-Number", serial_number)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(bytes(data))

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
