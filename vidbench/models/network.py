"""What one pull uses of the network: its clients, what answered, and what did not."""

from __future__ import annotations

import os
import ssl
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from vidbench.models import indexes
from vidbench.models.download import ANSWER_SECONDS, Unavailable, answers, shown

if TYPE_CHECKING:
    import httpx

OFFLINE_VARIABLE = "VIDBENCH_OFFLINE"
"""Set to 1, nothing beyond this machine is asked."""
HUB = "https://huggingface.co"
INDEX_SECONDS = 10.0
_TRUE = {"1", "on", "true", "yes"}


class Network:
    """The network as one pull sees it; close it after use.

    A hub or index that does not answer is asked once, not once a model.
    """

    def __init__(self) -> None:
        self._clients: list[httpx.Client] = []
        self._answers: dict[str, str] = {}
        self._offers: dict[str, list[indexes.Offer]] = {}

    def __enter__(self) -> Network:
        return self

    def __exit__(self, *_: object) -> None:
        for client in self._clients:
            client.close()

    @property
    def offline(self) -> bool:
        """Whether the user forbade the network."""
        return is_set(OFFLINE_VARIABLE)

    @cached_property
    def hub_client(self) -> httpx.Client:
        """A client for the hub, with the user's token if there is one.

        httpx sends it to no other host that the hub redirects to.
        """
        token = os.environ.get("HF_TOKEN", "")
        return self._client({"Authorization": f"Bearer {token}"} if token else {})

    def hub_refusal(self) -> str:
        """Why the hub cannot be asked; empty where it can."""
        if self.offline or is_set("HF_HUB_OFFLINE"):
            return "offline: the hub was not asked"
        return self._refusal(hub_endpoint(), self.hub_client, ANSWER_SECONDS)

    def index_refusal(self, url: str) -> str:
        """Why an index cannot be asked; empty where it can."""
        if self.offline:
            return f"offline: {shown(url)} was not asked"
        return self._refusal(url, self.index_client, INDEX_SECONDS)

    def offers(self, place: indexes.Location, project: str) -> list[indexes.Offer]:
        """The files that *place* has of *project*.

        Raises:
            Unavailable: it does not answer, or not with what an index answers.
        """
        url = place.url
        if place.kind == "index":
            from packaging.utils import canonicalize_name

            url = urljoin(place.url, f"{canonicalize_name(project)}/")
        if url not in self._offers:
            self._offers[url] = self._listed(url, place)
        return self._offers[url]

    @cached_property
    def locations(self) -> indexes.Locations:
        """The configured package indexes."""
        return indexes.locations()

    @cached_property
    def index_client(self) -> httpx.Client:
        """A client for package indexes, with pip's certificates."""
        import httpx

        certificates = self.locations.certificates
        context = ssl.create_default_context(cafile=certificates) if certificates else None
        # Private indexes keep their password in .netrc, as pip and uv read it.
        netrc = Path(os.environ.get("NETRC", "~/.netrc")).expanduser()
        secured = any("@" in place.url for place in self.locations.places)
        auth = httpx.NetRCAuth(str(netrc)) if netrc.is_file() and not secured else None
        return self._client({}, context, auth)

    def _client(
        self,
        headers: dict[str, str],
        context: ssl.SSLContext | None = None,
        auth: httpx.Auth | None = None,
    ) -> httpx.Client:
        import httpx

        client = httpx.Client(headers=headers, follow_redirects=True, verify=context or True, auth=auth)
        self._clients.append(client)
        return client

    def _refusal(self, url: str, client: httpx.Client, seconds: float) -> str:
        if url not in self._answers:
            self._answers[url] = answers(url, seconds=seconds, client=client)
        return self._answers[url]

    def _listed(self, url: str, place: indexes.Location) -> list[indexes.Offer]:
        path = indexes.local_path(url)
        if path is None:
            return self._listed_far(url, place)
        if place.kind == "links" and path.is_dir():
            return indexes.offers_in_folder(path)
        page = path / "index.html" if path.is_dir() else path
        if not page.is_file():
            return []
        return indexes.offers_in_html(page.read_text(encoding="utf-8"), page.absolute().as_uri())

    def _listed_far(self, url: str, place: indexes.Location) -> list[indexes.Offer]:
        import httpx

        refusal = self.index_refusal(place.url)
        if refusal:
            raise Unavailable(refusal)
        try:
            answer = self.index_client.get(url, headers={"Accept": indexes.ACCEPT}, timeout=INDEX_SECONDS)
            if answer.status_code == 404:
                return []
            answer.raise_for_status()
            if "json" in answer.headers.get("Content-Type", ""):
                return indexes.offers_in_json(answer.json(), str(answer.url))
        except (httpx.HTTPError, ValueError, KeyError) as error:
            raise Unavailable(f"{shown(url)} gave no list of files: {error}") from error
        return indexes.offers_in_html(answer.text, str(answer.url))


def hub_endpoint() -> str:
    """Address of the hub: ``$HF_ENDPOINT``, as huggingface_hub reads it."""
    return os.environ.get("HF_ENDPOINT", HUB).rstrip("/")


def is_set(variable: str) -> bool:
    """Whether an environment variable says yes."""
    return os.environ.get(variable, "").lower() in _TRUE
