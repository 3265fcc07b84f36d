"""Package indexes: where they are said to be, and what they say they have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidbench.models import indexes
from vidbench.models.indexes import (
    Location,
    Offer,
    local_path,
    locations,
    offers_in_html,
    wheel_among,
)


def urls(found: indexes.Locations) -> list[str]:
    """The addresses in order."""
    return [place.url for place in found.places]


def test_pypi_is_the_default(monkeypatch):
    """Where nothing is configured, it is what pip itself would ask."""
    monkeypatch.delenv("PIP_INDEX_URL")
    assert locations() == indexes.Locations((Location("https://pypi.org/simple/", "index"),))


def test_pips_environment_is_heard(monkeypatch):
    """Index, extra indexes, links and certificates, in the order in which they are asked."""
    monkeypatch.setenv("PIP_INDEX_URL", "https://a.example/simple")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://b.example/simple/ file:///c/simple")
    monkeypatch.setenv("PIP_FIND_LINKS", "/d https://e.example/links.html")
    monkeypatch.setenv("PIP_CERT", "/f.pem")
    found = locations()
    assert urls(found) == [
        "/d",
        "https://e.example/links.html",
        "https://a.example/simple/",
        "https://b.example/simple/",
        "file:///c/simple/",
    ]
    assert found.certificates == "/f.pem"


def test_pips_configuration_file_is_heard(monkeypatch, tmp_path):
    """A file says it as well, the more special section winning."""
    (tmp_path / "pip.conf").write_text(
        "[global]\nindex-url = https://a.example/simple\nextra-index-url =\n    https://b.example/s\n"
        "    https://c.example/s\n[download]\nindex-url = https://d.example/simple\n"
    )
    monkeypatch.delenv("PIP_INDEX_URL")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    assert urls(locations()) == [
        "https://d.example/simple/",
        "https://b.example/s/",
        "https://c.example/s/",
    ]


def test_uvs_environment_is_heard(monkeypatch):
    """uv's variables win over pip's; an index may have a name."""
    monkeypatch.setenv("UV_INDEX_URL", "https://u.example/simple")
    monkeypatch.setenv("UV_INDEX", "inner=https://v.example/simple https://w.example/s?a=b")
    assert urls(locations()) == [
        "https://u.example/simple/",
        "https://v.example/simple/",
        "https://w.example/s?a=b/",
    ]


def test_no_index_means_links_alone(monkeypatch):
    """Who forbids the index gets no request to it."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "/wheels")
    assert urls(locations()) == ["/wheels"]


def test_the_environment_is_enough_where_there_is_no_pip(monkeypatch):
    """Environments made by uv have no pip module."""
    monkeypatch.setattr(indexes, "_pip_configuration", lambda _environment: None)
    monkeypatch.setenv("PIP_INDEX_URL", "https://a.example/simple")
    assert urls(locations()) == ["https://a.example/simple/"]


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("file:///opt/wheels", "/opt/wheels"),
        ("file:///opt/my%20wheels", "/opt/my wheels"),
        ("/opt/wheels", "/opt/wheels"),
        ("https://x.example/", None),
    ],
)
def test_local_path(url, path):
    """Files and plain paths are local, everything else is not."""
    found = local_path(url)
    assert (str(found) if found else None) == path
    assert Location(url, "links").is_local == (path is not None)


def test_html_links_are_resolved_and_decoded():
    """Relative links, a base, encoded names, and other hashes than SHA-256."""
    page = (
        '<base href="https://cdn.example/x/"><a href="a%2Bb-1.0-py3-none-any.whl#sha256=ab">a</a>'
        '<a href="/c-1.0.tar.gz#md5=cd">c</a><a name="no link">d</a>'
    )
    assert offers_in_html(page, "https://x.example/simple/a/") == [
        Offer(
            filename="a+b-1.0-py3-none-any.whl",
            url="https://cdn.example/x/a%2Bb-1.0-py3-none-any.whl",
            sha256="ab",
        ),
        Offer(filename="c-1.0.tar.gz", url="https://cdn.example/c-1.0.tar.gz"),
    ]


@pytest.mark.parametrize(
    ("filename", "fits"),
    [
        ("Bird_Song-1.0-py3-none-any.whl", True),
        ("bird_song-1.0.0-py3-none-any.whl", True),
        ("bird_song-1.0.1-py3-none-any.whl", False),
        ("bird-1.0-py3-none-any.whl", False),
        ("bird_song-1.0.tar.gz", False),
        ("not a wheel.whl", False),
    ],
)
def test_a_wheel_is_found_by_normalised_name_and_exact_version(filename, fits):
    """PEP 503 names and PEP 440 versions decide, nothing else fits."""
    offer = Offer(filename=filename, url="https://x.example/")
    assert (wheel_among([offer], "bird.song", "1.0") is offer) is fits


@given(st.text(max_size=300))
def test_any_page_can_be_read(page):
    """An index that answers with rubbish has no wheels, and breaks nothing."""
    assert wheel_among(offers_in_html(page, "https://x.example/simple/a/"), "a", "1") is None
