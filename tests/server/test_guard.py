"""Who the endpoint lets in, and how it refuses."""

from __future__ import annotations

import json
import logging
import socket

import httpx
import pytest

from vidbench.contract.calls import CALLS
from vidbench.operations import OPERATIONS
from vidbench_server.guard import MAX_BODY_BYTES

PATHS = [
    *(f"/bench/{name}" for name in CALLS),
    *(f"/bench/operations/{operation.name}" for operation in OPERATIONS),
    "/bench/openapi.json",
    "/bench/close",
    "/",
    "/docs",
]


def check_fault(response: httpx.Response, status: int) -> dict[str, str]:
    """The fault in *response*, after a look at its shape."""
    fault = response.json()

    assert response.status_code == status
    assert response.headers["content-type"] == "application/json"
    assert sorted(fault) == ["error", "field", "file", "hint", "kind"]
    assert "Traceback" not in response.text
    return fault


@pytest.mark.parametrize("path", PATHS)
def test_nobody_without_the_token(path, url):
    """Every path, known or not, asks for the token and reveals nothing without it."""
    client = httpx.Client(base_url=url, trust_env=False)
    for credentials in [None, "Bearer wrong", "Bearer a b", "Basic YTpi", "a-token-of-a-test"]:
        headers = {"Authorization": credentials} if credentials else {}
        for method in ("GET", "POST"):
            response = client.request(method, path, headers=headers)

            assert check_fault(response, 401)["field"] == "token"
            assert response.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:80",
        "127.0.0.1.evil.example",
        "localhost@evil",
        "127.0.0.2",
        "",
    ],
)
def test_only_loopback_hosts(host, http, engine):
    """A request under another host name (DNS rebinding) is refused, even with the right token."""
    response = http.post("/bench/list_files", json={}, headers={"Host": host})

    check_fault(response, 403)
    assert engine.asked == []


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:8888", "[::1]:1", "127.0.0.1:65535"])
def test_loopback_hosts(host, http):
    """Each way to write the loopback address is fine, with any port."""
    assert http.post("/bench/list_files", json={}, headers={"Host": host}).status_code == 200


def test_no_page_may_read(http):
    """No answer carries CORS headers, and a preflight is refused."""
    origin = {"Origin": "http://localhost:8888", "Access-Control-Request-Method": "POST"}

    answer = http.post("/bench/list_files", json={}, headers=origin)
    preflight = httpx.options(str(answer.url), headers=origin, trust_env=False)

    assert not [name for name in answer.headers if name.startswith("access-control")]
    check_fault(preflight, 401)


def test_a_body_that_is_too_large(http, engine):
    """A body over the limit is refused by its announced length, before it is read."""
    response = http.post("/bench/add_file", content=b"x" * (MAX_BODY_BYTES + 1))

    assert "64 MiB" in check_fault(response, 413)["error"]
    assert engine.asked == []


def test_chunks_that_grow_too_large(http, engine):
    """A body without a length is refused when it has grown over the limit."""
    chunks = (b"x" * 2**20 for _ in range(MAX_BODY_BYTES // 2**20 + 2))

    try:
        response = http.post("/bench/add_file", content=chunks)
    except httpx.WriteError:  # the server may close while we still send
        response = None

    assert response is None or check_fault(response, 413)
    assert engine.asked == []


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"[]", b"3", b"null", b'{"name": 3}', b'{"nme": ""}', b"{}", b""])
def test_bodies_that_are_wrong(body, http, engine):
    """What is no JSON object with the right arguments is a 400 that says so."""
    response = http.post("/bench/get_file", content=body)

    assert check_fault(response, 400)["kind"] == "InvalidInput"
    assert engine.asked == []


def test_unknown_paths_and_methods(http):
    """Unknown paths, close, and a GET of a call are refused in the common shape."""
    assert check_fault(http.post("/bench/nothing", json={}), 404)["kind"] == "NotFound"
    check_fault(http.post("/bench/close", json={}), 404)
    check_fault(http.post("/bench/list_files/", json={}), 404)
    check_fault(http.get("/bench/list_files"), 405)


def test_broken_frames(http, engine):
    """Frames that are no base64, or no Parquet, are named."""
    for text, message in [("?", "no base64"), ("AAAA", "no Parquet")]:
        body = {"sql": "select 1", "frames": {"t": text}}

        assert message in check_fault(http.post("/bench/query", json=body), 400)["error"]


def test_errors_of_the_unknown_kind_stay_inside(http, engine, caplog):
    """What is no error of ours is a plain 500; its message and traceback go to the log alone."""
    engine.raises = RuntimeError("secret path /home/x")
    with caplog.at_level(logging.ERROR, "vidbench_server"):
        response = http.post("/bench/list_files", json={})

    fault = check_fault(response, 500)
    assert "secret" not in response.text
    assert fault["kind"] == "VidbenchError"
    assert "secret path" in caplog.text


def test_statuses(http, engine, family):
    """Each class of error has a status that fits."""
    expected = {
        "InvalidInput": 400,
        "MediaError": 400,
        "NotFound": 404,
        "NotReady": 409,
        "Conflict": 409,
    }
    expected |= {"WorkspaceBusy": 409, "JobCancelled": 409, "Interrupted": 409}
    for kind in family:
        engine.raises = kind("x")

        fault = check_fault(http.post("/bench/list_files", json={}), expected.get(kind.__name__, 500))

        assert fault["kind"] == kind.__name__


def test_operations(http, engine):
    """An operation's route checks its config by type and submits it whole."""
    body = {"subject_id": "f1", "config": {"enable_speech": False}}
    response = http.post("/bench/operations/describe", json=body)

    name, arguments = engine.asked[0]
    assert (response.status_code, response.json()["job_id"]) == (200, "j1")
    assert (name, arguments["operation"], arguments["subject_id"]) == ("submit", "describe", "f1")
    assert arguments["config"]["enable_speech"] is False
    assert arguments["config"]["enable_scene_text"] is True


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"subject_id": "f1", "config": {"enable_speach": True}}, "config.enable_speach"),
        ({"subject_id": "f1", "config": {"enable_speech": "perhaps"}}, "config.enable_speech"),
        ({"subject_id": "f1", "config": []}, "config"),
        ({"config": {}}, "subject_id"),
        ({"subject_id": "f1", "extra": 1}, "extra"),
        ([], "subject_id"),
    ],
)
def test_operations_with_a_wrong_body(body, field, http, engine):
    """A wrong field of an operation is named, and nothing is submitted."""
    response = http.post("/bench/operations/describe", json=body)

    assert check_fault(response, 400)["field"] == field
    assert engine.asked == []


def test_an_operation_cannot_be_renamed_by_its_body(http, engine):
    """The path says which operation runs; a body that names another is not believed."""
    http.post("/bench/operations/describe", json={"subject_id": "f1", "operation": "chat"})

    assert [arguments["operation"] for _, arguments in engine.asked] == ["describe"]


def test_the_document_holds_every_route(http):
    """The OpenAPI document has each call and operation with its arguments, and every reference resolves."""
    document = http.get("/bench/openapi.json").json()
    paths = document["paths"]

    assert set(paths) == set(PATHS[: len(CALLS) + len(OPERATIONS)])
    body = paths["/bench/get_segmentation"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert list(body["properties"]) == ["segmentation_id", "limit", "offset"]
    assert body["required"] == ["segmentation_id"]
    describe = paths["/bench/operations/describe"]["post"]["requestBody"]["content"]["application/json"]
    assert describe["schema"]["properties"]["config"] == {"$ref": "#/components/schemas/DescribeConfig"}
    for reference in _references(document):
        assert reference.removeprefix("#/components/schemas/") in document["components"]["schemas"]


def test_it_listens_on_loopback_only(url):
    """The port is bound to 127.0.0.1, so no other machine reaches it."""
    port = int(url.rsplit(":", 1)[1])
    outside = socket.gethostbyname(socket.gethostname())
    if outside.startswith("127."):
        pytest.skip("this machine has no other address")
    with pytest.raises(OSError), socket.create_connection((outside, port), timeout=1):  # noqa: PT011 - any refusal
        pass


def _references(node: object) -> list[str]:
    if isinstance(node, dict):
        own = [node["$ref"]] if "$ref" in node else []
        return own + [found for value in node.values() for found in _references(value)]
    return [found for value in node for found in _references(value)] if isinstance(node, list) else []


def test_the_document_is_json(http):
    """The document can be read by any JSON parser, without NaN or the like."""
    json.loads(http.get("/bench/openapi.json").text, parse_constant=pytest.fail)
