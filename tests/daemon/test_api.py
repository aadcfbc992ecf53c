"""The daemon's HTTP face, by raw requests: outcomes, refusals as problem documents, limits, streams that resume."""

from __future__ import annotations

import json
import os
import re
import socket
import time
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from ajkit.client.places import read_note
from ajkit.client.snapshot import pack
from ajkit.shared.contract import REFUSALS
from tests.daemons import draw_sid, finish, job_spec, wait_running

if TYPE_CHECKING:
    from tests.daemons import Answer, Host

EMPTY = "84ff92691f909a05b224e1c56abb4864f01b4f8e3c854e4bb4c7baf1d3f6d652"
"""The digest of an empty code folder."""


def body(command: str = "true", **fields: Any) -> dict[str, Any]:
    return {"spec": job_spec(command, **fields).model_dump(mode="json"), "code_digest": EMPTY}


@pytest.fixture
def host(shared_host: Host) -> Host:
    with pack(shared_host.code, []) as archive:
        assert archive.digest == EMPTY
        shared_host.daemon().upload(archive)
    return shared_host


def refused(answer: Answer, code: str) -> dict[str, Any]:
    """Check that an answer is a whole problem document of a code."""
    assert answer.headers["content-type"] == "application/problem+json"
    document: dict[str, Any] = answer.json
    assert (document["code"], document["status"], answer.status) == (code, REFUSALS[code].status, answer.status)
    assert document["type"] == f"urn:aj:problem:{code}"
    assert document["title"]
    assert document["detail"]
    return document


# -- submitting --------------------------------------------------------------------------------------------------------


def test_the_same_submission_twice_is_one_job(host: Host) -> None:
    sent = body()
    first = host.ask("POST", "/v1/jobs", sent, Idempotency_Key="same-1")
    finish(host.daemon(), sent["spec"]["sid"])
    second = host.ask("POST", "/v1/jobs", dict(reversed(sent.items())), Idempotency_Key="same-1")
    assert (first.status, second.status) == (201, 201)
    assert first.json == second.json
    assert first.json["state"] == "accepted"
    assert first.json["id"] == sent["spec"]["sid"]


def test_the_same_key_for_another_job(host: Host) -> None:
    sent = body()
    host.ask("POST", "/v1/jobs", sent, Idempotency_Key="same-2")
    document = refused(host.ask("POST", "/v1/jobs", body(), Idempotency_Key="same-2"), "key.reused")
    assert document["job_id"] == sent["spec"]["sid"]


def test_the_same_sid_again(host: Host) -> None:
    sent = body()
    host.ask("POST", "/v1/jobs", sent, Idempotency_Key=draw_sid())
    document = refused(host.ask("POST", "/v1/jobs", sent, Idempotency_Key=draw_sid()), "job.exists")
    assert document["job_id"] == sent["spec"]["sid"]


def test_no_key(host: Host) -> None:
    refused(host.ask("POST", "/v1/jobs", body()), "key.missing")


def test_unknown_service(host: Host) -> None:
    document = refused(host.ask("POST", "/v1/jobs", body(service="hpc"), Idempotency_Key="x"), "service.unknown")
    assert "local" in document["detail"]


def test_options_that_the_service_does_not_know(host: Host) -> None:
    sent = body(backend_spec={"partition": "gpu"})
    document = refused(host.ask("POST", "/v1/jobs", sent, Idempotency_Key="x"), "spec.invalid")
    assert document["problems"][0]["message"].startswith("backend_spec.partition: ")


def test_code_that_was_not_uploaded(host: Host) -> None:
    sent = body() | {"code_digest": "0" * 64}
    refused(host.ask("POST", "/v1/jobs", sent, Idempotency_Key="x"), "code.unsent")


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (b"", "body"),
        (b"{", "JSON"),
        (b"[]", "object"),
        (b"null", "body"),
        (b"\xff\xfe", ""),
        (b'{"spec": ' * 5000, ""),
        (b"[" * 100_000, ""),
        ({}, "spec: Field required"),
        ({"spec": {}, "code_digest": "zz"}, "spec.name: Field required"),
        (body() | {"more": 1}, "more: Extra inputs"),
        ({**body(), "spec": {**body()["spec"], "nodes": "2"}}, "spec.nodes: "),
        ({**body(), "spec": {**body()["spec"], "nodes": 0}}, "spec.nodes: "),
        ({**body(), "spec": {**body()["spec"], "sid": "../../etc"}}, "spec.sid: "),
        ({**body(), "spec": {**body()["spec"], "env": {"A": {"from_env": "B", "x": 1}}}}, "spec.env.A"),
    ],
)
def test_wrong_bodies(host: Host, sent: Any, said: str) -> None:
    document = refused(host.ask("POST", "/v1/jobs", sent, Idempotency_Key="x"), "request.invalid")
    messages = "\n".join(each["message"] for each in document["problems"])
    assert said in messages + document["detail"]
    for each in document["problems"]:
        assert set(each) == {"path", "code", "severity", "message", "range", "related"}


def test_values_of_a_wrong_body_are_not_repeated(host: Host) -> None:
    sent = {**body(), "spec": {**body()["spec"], "env": {"TOKEN": ["hunter2"]}}}
    assert b"hunter2" not in host.ask("POST", "/v1/jobs", sent, Idempotency_Key="x").body


def test_a_body_that_is_too_large(host: Host) -> None:
    sent = b'{"spec": "' + b"x" * (33 * 2**20)
    refused(host.ask("POST", "/v1/jobs", sent, Idempotency_Key="x"), "request.too-large")


def test_no_such_path_or_method(host: Host) -> None:
    refused(host.ask("GET", "/v1/nothing"), "request.path")
    refused(host.ask("DELETE", "/v1/jobs"), "request.method")


@pytest.mark.parametrize("part", ["", "/events", "/logs", "/logs?follow=true", "/logs?stream=node-0"])
@pytest.mark.parametrize("job_id", ["zzzzzzzzzz", "..%2f..%2fetc", "x" * 500])
def test_no_such_job(host: Host, job_id: str, part: str) -> None:
    answer = host.ask("GET", f"/v1/jobs/{job_id}{part}")
    refused(answer, "request.path" if "%2f" in job_id else "job.missing")


def test_no_such_job_to_cancel(host: Host) -> None:
    refused(host.ask("POST", "/v1/jobs/zzzzzzzzzz/cancel"), "job.missing")


# -- listing and showing -----------------------------------------------------------------------------------------------


def test_lists_by_filter_and_page(host: Host) -> None:
    made = []
    for number in range(5):
        sent = body("exit 1" if number == 2 else "true", experiment="listing")
        host.ask("POST", "/v1/jobs", sent, Idempotency_Key=draw_sid())
        made.append(sent["spec"]["sid"])
    for each in made:
        finish(host.daemon(), each)
    seen, cursor, pages = list[str](), "", 0
    while pages == 0 or cursor:
        page = host.ask("GET", f"/v1/jobs?experiment=listing&limit=2{cursor}").json
        seen += [each["id"] for each in page["jobs"]]
        cursor = f"&cursor={page['next']}" if page["next"] else ""
        pages += 1
    assert (seen, pages) == (made[::-1], 3)
    failed = host.ask("GET", "/v1/jobs?experiment=listing&state=failed&state=lost&live=false").json["jobs"]
    assert [each["id"] for each in failed] == [made[2]]
    assert host.ask("GET", "/v1/jobs?experiment=listing&live=true").json["jobs"] == []
    for wrong in ("state=gone", "limit=0", "limit=501", "cursor=-1", "cursor=x"):
        refused(host.ask("GET", f"/v1/jobs?{wrong}"), "request.invalid")


def test_a_job_is_shown_with_its_spec(host: Host) -> None:
    sent = body()
    host.ask("POST", "/v1/jobs", sent, Idempotency_Key=draw_sid())
    shown = host.ask("GET", f"/v1/jobs/{sent['spec']['sid']}").json
    assert shown["spec"] == sent["spec"]
    assert shown["job"]["name"] == sent["spec"]["name"]


# -- code --------------------------------------------------------------------------------------------------------------


def test_code_that_is_not_what_it_says(host: Host) -> None:
    document = refused(host.ask("PUT", f"/v1/code/{'1' * 64}", b"other"), "code.digest")
    assert re.search("digest [0-9a-f]{64}, not 1111", document["detail"])
    refused(host.ask("GET", f"/v1/code/{'1' * 64}"), "code.unsent")
    refused(host.ask("PUT", "/v1/code/..%2f..%2fx", b"other"), "request.path")
    refused(host.ask("PUT", "/v1/code/short", b"other"), "request.invalid")


def test_code_that_is_unsafe(host: Host) -> None:
    digest = "916f0027a575074ce72a331777c3478d6513f786a591bd892da1a577bf2335f9"
    document = refused(host.ask("PUT", f"/v1/code/{digest}", b"test data"), "code.unsafe")
    assert "not a tar archive" in document["detail"]
    assert [each for each in os.listdir(os.path.join(host.state, "code")) if each != EMPTY] == []


def test_code_is_taken_once(host: Host) -> None:
    assert host.ask("PUT", f"/v1/code/{EMPTY}", b"is here already").status == 200
    assert host.ask("GET", f"/v1/code/{EMPTY}").json == {"digest": EMPTY, "size": 10240}


# -- following ---------------------------------------------------------------------------------------------------------


def parse(stream: bytes) -> list[dict[str, str]]:
    """Server-sent events, comments left out."""
    found = []
    for block in stream.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append(fields)
    return found


@pytest.fixture
def ended(host: Host) -> str:
    spec = host.held("echo one; echo two", nodes=2)
    daemon = host.daemon()
    daemon.submit(spec, host.code)
    wait_running(daemon, spec)
    host.let_go(spec)
    finish(daemon, spec.sid)
    return spec.sid


def test_events_resume_after_the_last_one_seen(host: Host, ended: str) -> None:
    every = parse(host.ask("GET", f"/v1/jobs/{ended}/events").body)
    assert [each["event"] for each in every] == ["state"] * (len(every) - 1) + ["end"]
    states = [json.loads(each["data"])["state"] for each in every[:-1]]
    assert states == ["accepted", "submitting", "submitted", "running", "done"]
    assert parse(host.ask("GET", f"/v1/jobs/{ended}/events", Last_Event_ID="3").body) == every[3:]
    refused(host.ask("GET", f"/v1/jobs/{ended}/events", Last_Event_ID="x"), "request.invalid")


def test_logs_resume_at_any_piece(host: Host, ended: str) -> None:
    every = parse(host.ask("GET", f"/v1/jobs/{ended}/logs?follow=true").body)
    texts = [json.loads(each["data"]) for each in every if each["event"] == "log"]
    assert sorted((each["stream"], each["text"]) for each in texts) == [
        ("node-0", "one\ntwo\n"),
        ("node-1", "one\ntwo\n"),
    ]
    assert [each["event"] for each in every[-2:]] == ["state", "end"]
    for at, each in enumerate(every[:-1]):
        rest = parse(host.ask("GET", f"/v1/jobs/{ended}/logs?follow=true", Last_Event_ID=each["id"]).body)
        assert rest == every[at + 1 :]
    odd = parse(host.ask("GET", f"/v1/jobs/{ended}/logs?follow=true", Last_Event_ID="what/is=this").body)
    assert odd == every


def test_one_log_alone(host: Host, ended: str) -> None:
    every = parse(host.ask("GET", f"/v1/jobs/{ended}/logs?follow=true&stream=node-1").body)
    assert {json.loads(each["data"])["node"] for each in every if each["event"] == "log"} == {1}


def test_ranges_of_a_log(host: Host, ended: str) -> None:
    assert host.ask("GET", f"/v1/jobs/{ended}/logs").json == {
        "streams": [{"name": "node-0", "node": 0}, {"name": "node-1", "node": 1}]
    }
    path = f"/v1/jobs/{ended}/logs?stream=node-0"
    whole = host.ask("GET", path)
    assert (whole.status, whole.body, whole.headers["content-range"]) == (206, b"one\ntwo\n", "bytes 0-7/*")
    assert host.ask("GET", path, Range="bytes=2-4").body == b"e\nt"
    assert host.ask("GET", path, Range="bytes=4-").body == b"two\n"
    assert host.ask("GET", path, Range="bytes=100-").body == b""
    for wrong in ("bytes=-5", "lines=1-2", "bytes=1-2,4-5"):
        refused(host.ask("GET", path, Range=wrong), "request.invalid")
    for stream in ("node-2", "../../journal.sqlite3", "..%2f..%2fscript"):
        refused(host.ask("GET", f"/v1/jobs/{ended}/logs?stream={stream}"), "log.missing")


# -- about -------------------------------------------------------------------------------------------------------------


def test_health(host: Host) -> None:
    health = host.ask("GET", "/v1/health").json
    assert (health["program"], health["wire"], health["pid"]) == ("aj", 1, host.pid)
    assert health["state_folder"] == host.state


def test_services_with_their_options(host: Host) -> None:
    services = {each["name"]: each for each in host.ask("GET", "/v1/services").json["services"]}
    assert services["local"]["runs"]
    assert services["local"]["options"]["type"] == "object"
    assert "partition" in services["slurm"]["options"]["properties"]
    assert all(each["runs"] or each["missing"] for each in services.values())


def test_openapi_names_every_path(host: Host) -> None:
    document = host.ask("GET", "/openapi.json").json
    assert set(document["paths"]) == {
        "/v1/health",
        "/v1/services",
        "/v1/services/{service}/values/{kind}",
        "/metrics",
        "/v1/render",
        "/v1/code/{digest}",
        "/v1/jobs",
        "/v1/jobs/{job_id}",
        "/v1/jobs/{job_id}/cancel",
        "/v1/jobs/{job_id}/events",
        "/v1/jobs/{job_id}/logs",
    }
    for path, operations in document["paths"].items():
        for operation in operations.values():
            places = [each["name"] for each in operation["parameters"] if each["in"] == "path"]
            assert places == re.findall(r"{(\w+)}", path)
            assert operation["summary"]
            assert operation["responses"]["default"]["content"].keys() == {"application/problem+json"}
    schemas = document["components"]["schemas"]
    for reference in re.findall(r'"\$ref": ?"([^"]+)"', json.dumps(document)):
        assert reference.removeprefix("#/components/schemas/") in schemas
    for each in schemas.values():
        Draft202012Validator.check_schema(each)
    listing = {each["name"]: each["schema"] for each in document["paths"]["/v1/jobs"]["get"]["parameters"]}
    assert "running" in listing["state"]["items"]["enum"]


def test_the_page_is_whole_by_itself(host: Host) -> None:
    page = host.ask("GET", "/docs")
    assert page.status == 200
    assert not re.search(rb"(src|href)=.?(https?:)?//", page.body)
    for code in REFUSALS:
        assert code.encode() in page.body


def test_render_submits_nothing(host: Host) -> None:
    sent = body("echo hi")
    del sent["code_digest"]
    answer = host.ask("POST", "/v1/render", sent)
    assert answer.json["files"]["script.sh"] == "echo hi\n"
    refused(host.ask("GET", f"/v1/jobs/{sent['spec']['sid']}"), "job.missing")
    refused(host.ask("POST", "/v1/render", {"spec": {**sent["spec"], "service": "hpc"}}), "service.unknown")


# -- clients that misbehave --------------------------------------------------------------------------------------------


def raw(host: Host, data: bytes, wait: float = 0.0) -> bytes:
    note = read_note(host.state)
    assert note is not None
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(60)
        sock.connect(note.socket)
        sock.sendall(data)
        time.sleep(wait)
        sock.shutdown(socket.SHUT_WR)
        said = b""
        while data := sock.recv(65536):
            said += data
        return said


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
        b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"GET /v1/jobs/" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"PUT /v1/code/" + b"0" * 64 + b" HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"",
    ],
)
def test_what_is_not_http_does_no_harm(host: Host, data: bytes) -> None:
    said = raw(host, data)
    assert b" 200 " not in said
    assert b" 201 " not in said
    assert host.ask("GET", "/v1/health").status == 200


def test_a_cut_off_submission_is_no_job(host: Host) -> None:
    sent = body()
    data = json.dumps(sent).encode()
    head = f"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nIdempotency-Key: cut\r\nContent-Length: {len(data)}\r\n\r\n".encode()
    raw(host, head + data[:-10])
    refused(host.ask("GET", f"/v1/jobs/{sent['spec']['sid']}"), "job.missing")
