"""The app is for this computer alone, shows none of its files, and survives whatever a program sends to it."""

import contextlib
import gzip
import http.client
import io
import json
import re
import socket
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import pytest
from serving import ROOT, STARTS_IN, wait_for

from asking import AUDIT
from saved import manifest
from tiers import nightly, slow
from unrandom.app.limits import MAX_FILE, MAX_REQUEST, REQUEST_SECONDS, SESSIONS_KEPT
from unrandom.core.run_folder import RunFolder
from unrandom.generators.lcg import LCG

pytest.importorskip("gradio", reason="the app needs gradio")
httpx = pytest.importorskip("httpx", reason="the app needs gradio")

HEAD = "layer 0 head 0"
PLAY = ["fm-256", "lcg", "256", "5", "3", "1", 40, "", HEAD]
ALL = ["reproduced", "not reproduced", "inconclusive", "not judged", "not run"]
CLAIMS = ["laptop", ALL, "all", ""]
STREAM = LCG(m=2**31, a=1103515245, c=12345).orbit(x0=1, length=40)
NUMBERS = " ".join(map(str, STREAM[:30]))
SECRET = "this line is in no answer: 5f2c1e"


def post(app, path, content, kind="application/json", **headers):
    url = f"http://127.0.0.1:{app.port}{path}"
    return httpx.post(url, content=content, headers={"content-type": kind, **headers}, timeout=STARTS_IN)


def call(app, name, data):
    """How a request to an address of the API ends, and its answer as text."""
    begun = post(app, f"/gradio_api/call/{name}", data if isinstance(data, bytes) else json.dumps({"data": data}))
    if begun.status_code != 200 or "event_id" not in begun.text:
        return begun.status_code, begun.text
    address = f"http://127.0.0.1:{app.port}/gradio_api/call/{name}/{begun.json()['event_id']}"
    try:
        told = httpx.get(address, timeout=STARTS_IN).text
    except httpx.RemoteProtocolError:  # Gradio hangs up on a request whose session is another one
        return "refused", ""
    event, _, answer = told.strip().split("\n\n")[-1].partition("\n")
    return event.removeprefix("event: "), answer.removeprefix("data: ")


def answer(app, name, data):
    """The outputs of a request that is answered."""
    event, text = call(app, name, data)
    assert event == "complete", text
    return json.loads(text)


def upload(app, content, name="numbers.txt"):
    """The path that Gradio gives to an uploaded file, or its refusal."""
    url = f"http://127.0.0.1:{app.port}/gradio_api/upload"
    return httpx.post(url, files={"files": (name, content)}, timeout=STARTS_IN)


def file_data(path):
    return {"path": path, "meta": {"_type": "gradio.FileData"}}


def test_a_normal_request_is_answered(app):
    said, table, staircase, grid, line, attention = answer(app, "play", PLAY)
    assert "the model is right" in said
    assert table.count("<tr") == 41
    assert staircase["type"] == attention["type"] == "plotly"
    assert grid is None  # a single head
    assert "layer 0 head 0 puts" in line
    assert "Predictable" in answer(app, "audit", [NUMBERS, *AUDIT])[0]
    assert "Predictable" in answer(app, "search_longer", [NUMBERS, *AUDIT[:-1]])[0]
    assert answer(app, "claims", CLAIMS)[0].count("<article") > 100
    (path,) = upload(app, NUMBERS.encode()).json()
    assert str(STREAM[30]) in answer(app, "audit", ["", file_data(path), *AUDIT[1:]])[0]


def test_programs_can_ask_for_what_the_page_does_not_show_at_first(app):
    *_, grid, _, attention = answer(app, "play", ["um-144", *PLAY[1:8], "layer 3 head 2"])
    *_, again, _, other = answer(app, "play", ["um-144", *PLAY[1:8], HEAD])
    assert grid["type"] == "plotly"
    assert grid == again
    assert attention != other
    RunFolder(app.runs / "new").create(manifest())
    assert answer(app, "curves", [["new"]])[0] == '<p class="said">new: not finished. There is no evaluation yet.</p>'


def test_it_listens_on_this_computer_only(app):
    listening = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    addresses = {words[1] for words in listening if words[3] == "0A" and words[1].endswith(f":{app.port:04X}")}
    assert addresses == {f"0100007F:{app.port:04X}"}
    assert not any(f":{app.port:04X} " in line for line in Path("/proc/net/tcp6").read_text().splitlines())
    others = {each[4][0] for each in socket.getaddrinfo(socket.gethostname(), None)} - {"127.0.0.1", "::1"}
    for other in others:
        with pytest.raises(OSError, match=r"refused|unreachable|timed out|assign"):
            socket.create_connection((other, app.port), timeout=2)


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "0.0.0.0", "[::1", "", "\xff"]
)
def test_a_site_that_calls_this_computer_by_its_own_name_is_refused(app, host):
    told = httpx.get(app.address, headers={"host": host.encode("latin-1")})
    assert (told.status_code, told.text) == (400, "Invalid host header")
    assert httpx.get(app.address, headers={"host": f"localhost:{app.port}"}).status_code == 200


ELSEWHERE = "This app answers its own page only, not other sites."


@pytest.mark.parametrize(
    "sent",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},  # of a sandboxed frame, or a file
        {"origin": "http://127.0.0.1:1"},  # another program of this computer
        {"origin": "https://127.0.0.1:PORT"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site", "origin": "http://127.0.0.1:PORT"},
    ],
)
def test_another_site_writes_no_file_and_starts_nothing(app, sent):
    headers = {name: value.replace("PORT", str(app.port)) for name, value in sent.items()}
    before = kept(app)
    requests = [
        ("POST", "gradio_api/upload", {"files": {"files": ("evil.txt", b"1 2 3")}}),
        ("POST", "gradio_api/call/start", {"json": {"data": ["0"]}}),
        ("POST", "gradio_api/queue/join", {"json": {"data": [], "fn_index": 0, "session_hash": "x"}}),
        ("GET", "gradio_api/heartbeat/x", {}),
        ("POST", "", {}),
    ]
    for method, path, content in requests:
        told = httpx.request(method, f"{app.address}{path}", headers=headers, timeout=STARTS_IN, **content)
        assert (told.status_code, told.text) == (403, ELSEWHERE), path
    assert kept(app) == before
    assert httpx.get(app.address, headers={"sec-fetch-site": "cross-site"}, timeout=STARTS_IN).status_code == 200


def test_what_another_site_sends_is_refused_before_it_has_arrived(app):
    head = f"POST /gradio_api/upload HTTP/1.1\r\nhost: 127.0.0.1:{app.port}\r\norigin: https://evil.example\r\n"
    head += "content-type: multipart/form-data; boundary=x\r\ncontent-length: 3000000\r\n\r\n"
    with socket.create_connection(("127.0.0.1", app.port), timeout=STARTS_IN) as client:
        client.sendall(head.encode())
        assert b" 403 " in client.recv(100)


def test_the_page_s_own_requests_are_let_in(app):
    for host in (f"127.0.0.1:{app.port}", f"localhost:{app.port}"):
        headers = {"host": host, "origin": f"http://{host}", "sec-fetch-site": "same-origin"}
        url = f"http://127.0.0.1:{app.port}/gradio_api/upload"
        assert httpx.post(url, files={"files": ("a", b"1 2")}, headers=headers, timeout=STARTS_IN).status_code == 200


def kept(app):
    """The uploads that the app has."""
    (folder,) = app.temporary.glob("unrandom-app-*")
    return sorted(path for path in folder.rglob("*") if path.is_file())


HALVES = [
    "",
    "GET / HTT",
    "GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n",
    "POST /gradio_api/call/stop HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    "content-length: 1000\r\n\r\n{",
    "POST /gradio_api/upload HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: multipart/form-data; boundary=x\r\n"
    "content-length: 1000\r\n\r\n--x\r\n",
    "GET /robots.txt HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\nGET /robots.txt HT",  # half of a second one
]


@pytest.mark.slow
def test_half_of_a_request_is_not_waited_for(app):
    with contextlib.ExitStack() as clients:
        waiting = []
        for half in HALVES * 20:
            connection = socket.create_connection(("127.0.0.1", app.port), timeout=STARTS_IN)
            waiting.append(clients.enter_context(connection))
            connection.sendall(half.encode())
        began = time.monotonic()
        assert httpx.get(app.address, timeout=STARTS_IN).status_code == 200
        while waiting := [connection for connection in waiting if is_open(connection)]:
            assert time.monotonic() - began < STARTS_IN
            for connection in waiting[:5]:  # one more byte now and then does not help
                with contextlib.suppress(OSError):
                    connection.send(b"x")
            time.sleep(0.5)
    assert "Traceback" not in app.log.read_text()


def is_open(client):
    client.setblocking(False)
    try:
        while client.recv(2**16):
            pass
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False


@pytest.mark.slow
def test_a_slow_answer_is_waited_for(app):
    """The stream of a page stays open for longer than a request may take to arrive."""
    with socket.create_connection(("127.0.0.1", app.port), timeout=STARTS_IN) as page:
        page.sendall(b"GET /gradio_api/heartbeat/slow HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
        assert b" 200 " in page.recv(100)
        time.sleep(REQUEST_SECONDS + 2)
        assert is_open(page)


@pytest.mark.nightly
def test_many_requests_of_a_script_are_not_kept(app):
    """Gradio makes a session of each, and would keep 10,000, .12 MB each."""

    def ask(times):
        for _ in range(times):
            assert call(app, "claims", ["laptop", ["reproduced"], "all", "no such words"])[0] == "complete"

    ask(SESSIONS_KEPT)
    before = app.memory
    ask(100)
    assert app.memory - before < 100 * 0.06 * 2**20


def test_another_site_can_neither_use_the_app_nor_read_its_answers(app):
    evil = {"origin": "https://evil.example"}
    for kind in ("text/plain", "application/x-www-form-urlencoded"):  # what a page may send without asking before
        begun = post(app, "/gradio_api/call/start", json.dumps({"data": ["0"]}), kind, **evil)
        assert (begun.status_code, begun.text) == (403, ELSEWHERE)
    asked = httpx.options(
        f"{app.address}gradio_api/call/start", headers={**evil, "access-control-request-method": "POST"}
    )
    assert "access-control-allow-origin" not in asked.headers
    assert "access-control-allow-origin" not in httpx.get(f"{app.address}config", headers=evil).headers


FILES = ["/etc/passwd", "/etc/hostname", "/proc/self/environ", str(ROOT / "pyproject.toml"), str(Path(__file__))]
PREFIXES = ["/gradio_api/file=", "/gradio_api/file/", "/file=", "/file/", "/gradio_api/stream/", "/static/", "/assets/",
            "/gradio_api/file=file://", "/gradio_api/proxy=file://", "/gradio_api/custom_component/file/client/x/",
            "/gradio_api/component_server/", "/svelte/", "/", "//", "/gradio_api/call/../file="]  # fmt: skip
CLIMBS = [
    "",
    "../" * 8,
    "..%2f" * 8,
    "%2e%2e/" * 8,
    "..%252f" * 8,
    "..\\" * 8,
    "....//" * 8,
    "./",
    "%00",
    "/proc/self/root",
]


def raw(app, path):
    """The status and the answer to a request whose path is sent as it is."""
    connection = http.client.HTTPConnection("127.0.0.1", app.port, timeout=STARTS_IN)
    try:
        connection.putrequest("GET", path, skip_accept_encoding=True)
        connection.endheaders()
        told = connection.getresponse()
        try:
            return told.status, told.read()
        except http.client.IncompleteRead as hung_up:
            return told.status, hung_up.partial
    finally:
        connection.close()


def test_no_file_of_this_computer_can_be_read(app):
    (app.runs.parent / "secret.txt").write_text(SECRET)
    (app.runs.parent / ".gradio" / "cached_examples").mkdir(parents=True, exist_ok=True)
    (app.runs.parent / ".gradio" / "cached_examples" / "secret.txt").write_text(SECRET)
    files = [*FILES, "secret.txt", ".gradio/cached_examples/secret.txt", str(app.runs.parent / "secret.txt")]
    for file in files:
        content = Path(app.runs.parent, file).read_bytes()
        for prefix in PREFIXES:
            for climb in CLIMBS:
                for name in {file, file.lstrip("/"), quote(file, safe="")}:
                    status, told = raw(app, f"{prefix}{climb}{name}".replace("\\", "%5c"))
                    assert status in (400, 403, 404, 405, 307), (prefix, climb, name)
                    assert content[:40].strip() not in told or not content.strip()


PICTURE = "/pictures/laptop/fm-staircase/fm-staircase.png"


def test_pictures_of_the_results_are_answered_and_nothing_beside_them(app):
    told = httpx.get(f"http://127.0.0.1:{app.port}{PICTURE}")
    assert (told.status_code, told.headers["content-type"]) == (200, "image/png")
    assert told.headers["x-content-type-options"] == "nosniff"
    assert told.content == (ROOT / "results" / "laptop" / "fm-staircase" / "fm-staircase.png").read_bytes()
    folder = "/pictures/laptop/fm-staircase"
    for path in (f"{folder}/made.json", f"{folder}/jumps.parquet", f"{folder}/", "/pictures/laptop/notes.toml",
                 "/pictures/laptop/index.html", "/pictures/laptop/weights/x.png", "/pictures/smoke/a/a.png",
                 f"{folder}/..%2f..%2f..%2f..%2fdocs%2fimages%2fstaircase.png", f"{folder}/../fm-staircase.png",
                 "/pictures/laptop/%2e%2e/fm-staircase.png", f"{folder}/fm-staircase.png%00", f"/{PICTURE}",
                 f"{folder}/fm-staircase.png/", "/pictures/laptop/..%2f..%2fdocs%2fimages/staircase.png"):  # fmt: skip
        assert raw(app, path) == (404, b"There is nothing at this address."), path
    assert httpx.post(f"http://127.0.0.1:{app.port}{PICTURE}", content=b"{}").status_code == 404
    another = httpx.get(f"http://127.0.0.1:{app.port}{PICTURE}", headers={"sec-fetch-site": "cross-site"})
    assert (another.status_code, another.text) == (403, ELSEWHERE)


def test_uploaded_files_cannot_be_read_back_nor_those_of_other_apps(app, tmp_path):
    (path,) = upload(app, SECRET.encode()).json()
    assert Path(path).read_text() == SECRET
    assert Path(path).parents[1].name.startswith("unrandom-app-")  # not the folder that all apps of Gradio share
    for prefix in ("/gradio_api/file=", "/file="):
        status, told = raw(app, prefix + path)
        assert (status, told) == (404, b"There is nothing at this address.")


@pytest.mark.parametrize(
    "name", ["../../../../tmp/evil.txt", "/etc/passwd", "..", ".", "", "a/b", "a\\b", "a\x00b", "x" * 5000]
)
def test_an_upload_stays_in_its_folder_whatever_its_name(app, name):
    told = upload(app, b"1 2 3", name)
    if told.status_code == 200 and told.json():
        (path,) = told.json()
        assert Path(path).resolve().parents[1].name.startswith("unrandom-app-")
    assert not Path("/tmp/evil.txt").exists()


PATHS = ["../" * 9 + "etc/passwd", "http://127.0.0.1/", "", "/", "/etc", "file:///etc/passwd", "https://example.com/x",
         "HTTP://example.com", "\x00", "~/.bashrc"]  # fmt: skip


@pytest.mark.parametrize("path", [*PATHS[:3], *slow(*PATHS[3:], *FILES)])
def test_a_path_in_place_of_an_upload_is_not_audited(app, path):
    for data in (file_data(path), {**file_data("x"), "url": path}, {**file_data(path), "orig_name": "x"}, path, [path],
                 {"path": path}, {**file_data(path), "is_stream": True}, [file_data(path)]):  # fmt: skip
        event, told = call(app, "audit", ["", data, *AUDIT[1:]])
        assert event != "complete" or 'class=\\"mistake\\"' in told, told
        assert "root:" not in told
        assert "pyproject" not in told.replace(path, "")
    event, told = call(app, "play", [*PLAY[:-2], file_data(path), HEAD])  # a file where text is asked for
    assert event != "complete" or 'class=\\"mistake\\"' in told


def test_folders_and_files_of_others_in_the_folder_of_uploads_are_mistakes(app):
    (path,) = upload(app, b"1 2 3").json()
    for given in (str(Path(path).parent), str(Path(path).parents[1]), str(Path(path).parent / "gone")):
        event, told = call(app, "audit", ["", file_data(given), *AUDIT[1:]])
        assert event != "complete" or "the file is no longer here; choose it again" in told


ADDRESSES = ["/gradio_api/runs", "/gradio_api/run-history/buckets", "/monitoring", "/monitoring/summary", "/docs",
             "/gradio_api/openapi.json", "/openapi.json", "/gradio_api/dev/reload", "/gradio_api/vibe-code", "/login",
             "/gradio_api/deep_link?session_hash=x", "/gradio_api/mcp", "/gradio_api/token", "/redoc", "/.git/config",
             "/gradio_api/file=https://example.com/", "/gradio_api/proxy=https://x.hf.space/", "/pwa_icon/99999",
             "/gradio_api/queue/data", "/gradio_api/queue/status"]  # fmt: skip


@pytest.mark.parametrize("address", ADDRESSES)
def test_addresses_that_the_page_does_not_use_are_closed(app, address):
    status, told = raw(app, address)
    assert status in (400, 404, 422)
    assert b"Traceback" not in told


def zipped(content):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("numbers.txt", content)
    return whole.getvalue()


WORDS = ["10^400", "9" * 400, "-1", "nan", "inf", "1e9", "0x10", "٣", "３", "²", "\u202e652", "\x00", "2\x00", "\ud800",
         "1;ls", "$(id)", "`id`", "| cat /etc/passwd", "' OR '1'='1", "{0.__class__.__mro__}", "%s%s%n", "{{7*7}}",
         "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "javascript:alert(1)", "../../etc/passwd",
         "--help", "1" * 200_000, " ", "null", "2^-1", "2**2**2", "9^9^9", "\n\n", "🎲", "1,000", "+5"]  # fmt: skip
TYPES = [None, True, 5, -5, 1.5, 10**400, [], {}, ["256"], {"a": 1}, [[[]]], [None] * 1000, {"path": "x"}]
TEXTS = ["hello", "\x00" * 1000, "\ud800\udfff", "‮1 2 3", "٣ ٤ ٥", "<svg onload=alert(1)>", "nan inf -inf", "-" * 9999,
         "1e999999 2e999999 3", "[" * 9999, '{"a":' * 5000, "'; DROP TABLE x; --", "x," * 50_000,
         "#" * 199_999]  # fmt: skip
UPLOADS = {
    "empty": b"",
    "a zip bomb": zipped("0" * 10**8),
    "a gzip bomb": gzip.compress(bytes(10**8)),
    "binary": bytes(range(256)) * 100,
    "one field": b"n," + b"9" * (MAX_FILE - 100),
    "quotes": b'"' * 10**5,
    "utf-16": "1 2 x".encode("utf-16"),
    "no utf-8": b"\xff\xfe\xfd 1 2 3",
    "numpy": b"\x93NUMPY\x01\x00\xff\xff{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
    "deep": b"[" * 10**6,
    "pickle": b"cos\nsystem\n(S'touch /tmp/evil.txt'\ntR.",
    "page": b"<html><script>alert(1)</script></html>",
}
BODIES = [b"", b"{", b"[]", b"null", b"5", b'{"data": 5}', b'{"data": null}', b'{"data": {}}', b'{"dat": []}', b"\xff",
          b'{"data": [NaN, Infinity]}', b'{"data": ' + b"[" * 10**5, b'{"a":' * 10**5,
          b'{"data": [' + b"9" * 10**4 + b"]}", b'{"data": ["' + b"x" * 3 * 10**6 + b'", null]}',
          b"x" * (MAX_REQUEST + 1), b'{"data": [], "fn_index": 99999}',
          b'{"data": [], "event_id": "x", "trigger_id": 1e400}']  # fmt: skip


def hostile():
    """Requests that are not what the page sends: how, the address, and what is sent."""
    for word in WORDS:
        yield "call", "play", [*PLAY[:2], word, *PLAY[3:]]
        yield "call", "play", ["fm-256", "numbers", *PLAY[2:7], f"1 2 {word}" if word.strip() else word, HEAD]
    for word in WORDS[::3]:
        yield "call", "claims", [*CLAIMS[:3], word]
        yield "call", "start", [word]
        yield "call", "curves", [[word]]
    for kind in TYPES:
        for name, data in (("play", PLAY), ("claims", CLAIMS), ("start", ["x"]), ("curves", [["x"]])):
            for place in range(len(data)):
                if not (name == "start" and kind in (None, 5)):  # which are seeds
                    yield "call", name, [*data[:place], kind, *data[place + 1 :]]
    for text in TEXTS:
        yield "call", "audit", [text, *AUDIT]
    for word in (*WORDS[1::15], *TYPES):
        for place in range(2, 7):
            options = ["1 2 3", *AUDIT[:-1], 1]  # a second of search
            options[place] = word
            yield "call", "audit", options
    for body in BODIES:
        for name in ("play", "audit", "stop", "no_such_thing"):
            yield "call", name, body
        yield "post", "/gradio_api/queue/join", body
        yield "post", "/gradio_api/upload", body
    yield "post", "/gradio_api/queue/join", b'{"data": [], "fn_index": -1, "session_hash": "../../x"}'
    for data in ([], PLAY[:3], PLAY * 2):
        yield "call", "play", data
    for content in UPLOADS.values():
        yield "upload", "audit", content


def harmless(told):
    """No traceback, no path of the program, and nothing of the visitor's that is markup."""
    assert "Traceback" not in told
    assert "site-packages" not in told
    assert not re.search(r"<(script|svg|img(?! loading=\"lazy\" src=\"/pictures/[a-z0-9/-]+\.png\" width))", told)


def attack(app, how, name, data):
    """Send a hostile request; the sentence of its answer, or None if it is refused."""
    if how == "post":
        return harmless(post(app, name, data).text)
    if how == "upload":
        (path,) = upload(app, data).json()
        name, data = "audit", ["", file_data(path), *AUDIT[1:]]
    event, told = call(app, name, data)
    if event != "complete":
        return harmless(told[:5000])
    first = json.loads(told)[0]
    harmless(first)
    return first


@pytest.mark.slow
@pytest.mark.parametrize(("every", "least"), [(20, 8), *nightly((1, 150))])
def test_hostile_requests_are_answered_by_sentences_and_the_app_goes_on(app, every, least):
    test_a_normal_request_is_answered(app)
    before = app.memory
    requests = list(hostile())
    assert len(requests) >= 100
    requests = requests[::every]
    started = time.monotonic()
    with ThreadPoolExecutor(16) as visitors:
        answers = list(visitors.map(lambda request: attack(app, *request), requests))
    print(f"{len(requests)} hostile requests in {time.monotonic() - started:.0f} s")
    sentences = [each for each in answers if each is not None]
    assert len(sentences) > least
    for request, said in zip(requests, answers, strict=True):
        if said is not None and request[1] in ("play", "start", "curves"):
            assert said.startswith('<p class="') or request[2] == PLAY, (request, said)
    assert not any("fault is the program" in each for each in sentences)
    test_a_normal_request_is_answered(app)
    assert app.memory < before + 400 * 2**20
    assert "a request failed" not in app.log.read_text()
    assert answer(app, "stop", []) == ['<p class="mistake">the demo is not running</p>']
    assert not Path("/tmp/evil.txt").exists()


def test_a_file_above_the_limit_is_refused(app):
    assert upload(app, b"1 " * (MAX_FILE // 2)).status_code == 200
    for size in (MAX_FILE + 1, 5 * 2**20):
        told = upload(app, b"1" * size)
        assert told.status_code == 413
        harmless(told.text)


def test_a_body_without_end_is_refused_before_it_is_held(app):
    before = app.memory

    def endless():
        for _ in range(64):
            yield b"x" * 2**20

    told = post(app, "/gradio_api/call/play", endless())
    assert (told.status_code, told.text) == (413, "Content Too Large")
    assert app.memory < before + 64 * 2**20


@pytest.mark.slow
@pytest.mark.parametrize("visitors", [4, 20])
def test_visitors_at_once_get_right_answers(app, visitors):
    gradio_client = pytest.importorskip("gradio_client")
    address = app.address

    def visit(index):
        client = gradio_client.Client(address, verbose=False, analytics_enabled=False)
        a, c = 4 * index + 1, 2 * index + 1
        numbers = LCG(m=256, a=a, c=c).orbit(x0=index, length=41)
        said, table, *_ = client.predict(
            "fm-256", "lcg", "256", str(a), str(c), str(index), 40, "", HEAD, api_name="/play"
        )
        assert f"The next number is {numbers[-1]}:" in said
        assert f"<td>{numbers[1]}</td>" in table
        stream = LCG(m=2**31, a=1103515245, c=12345 + 2 * index).orbit(x0=index, length=31)
        verdict = client.predict(" ".join(map(str, stream[:30])), *AUDIT, api_name="/audit")
        assert f"c = {12345 + 2 * index}" in verdict
        assert str(stream[30]) in verdict
        words = ["muon", "head", "um", "fm"][index % 4]
        claims = client.predict("laptop", ALL, "all", words, api_name="/claims")
        return words, claims

    with ThreadPoolExecutor(visitors) as pool:
        filtered = list(pool.map(visit, range(visitors)))
    assert len(set(filtered)) == 4  # the same words give the same claims
    wait_for(lambda: answer(app, "play", PLAY))
