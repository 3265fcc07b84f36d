"""vidbench over HTTP: the owner's loopback endpoint with its ``/bench`` face.

Importing this loads no web framework; ``Endpoint.start`` does.
"""

from vidbench_server.endpoint import Endpoint

__all__ = ["Endpoint"]
