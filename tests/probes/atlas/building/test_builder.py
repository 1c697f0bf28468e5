"""Building an atlas from a package index: a small one of our own, over HTTP, with ranges and without."""

import io
import json
import re
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from probes.atlas.building import builder
from probes.atlas.building.registry import Registry, Release
from probes.atlas.building.settings import RegistryError, Settings
from probes.atlas.store import unpack

SOURCE = """\
import click

@click.command()
@click.option("--host", default="0.0.0.0", help="where")
@click.option("--port", default=4000, envvar="PORT")
{more}
def run_server(**kwargs):
    pass
"""
FLAG = '@click.option("--debug", is_flag=True)'
HEAVY = 3_000_000


class Index(ThreadingHTTPServer):
    """A package index: `files` by name, the requests seen, how often it fails before it answers, and whether it knows ranges."""

    daemon_threads = True

    def __init__(self, files: dict[str, bytes], *, ranges: bool = True) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files = files
        self.ranges = ranges
        self.asked: list[tuple[str, int]] = []
        self.failures = 0

    @property
    def url(self) -> str:
        """The address of its simple index."""
        return f"http://127.0.0.1:{self.server_address[1]}/simple/"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Index

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""

    def do_GET(self) -> None:
        """The list of the package, or (part of) a file."""
        if self.server.failures:
            self.server.failures -= 1
            self._answer(503, b"busy", {})
            return
        name = self.path.rsplit("/", 1)[-1]
        if self.path.startswith("/simple/litellm"):
            files = [{"filename": file, "url": f"/files/{file}", "hashes": {}} for file in self.server.files]
            body = json.dumps({"meta": {"api-version": "1.0"}, "name": "litellm", "files": files}).encode()
            self._answer(200, body, {"Content-Type": "application/vnd.pypi.simple.v1+json"})
        elif name in self.server.files:
            self._file(name, self.server.files[name])
        else:
            self._answer(404, b"nothing", {})

    def _file(self, name: str, content: bytes) -> None:
        span = re.match(r"bytes=(\d*)-(\d*)$", self.headers.get("Range", "")) if self.server.ranges else None
        first, last = 0, len(content) - 1
        if span:
            first = int(span[1]) if span[1] else max(0, len(content) - int(span[2]))
            last = min(int(span[2]), last) if span[1] else last
        part = content[first : last + 1]
        self.server.asked.append((name, len(part)))
        self._answer(206 if span else 200, part, {"Content-Range": f"bytes {first}-{last}/{len(content)}"} if span else {})

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def wheel(more: str) -> bytes:
    """A wheel of a proxy, with megabytes of what nobody asks for."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("litellm/aaa_weights.bin", bytes(HEAVY))
        for name, text in tree(more).items():
            archive.writestr(name, text)
        archive.writestr("litellm/zzz_weights.bin", bytes(HEAVY))
    return made.getvalue()


def sdist(more: str) -> bytes:
    """The same as a source archive."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, text in tree(more).items():
            info = tarfile.TarInfo(f"litellm-1.0/{name}")
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return made.getvalue()


def tree(more: str) -> dict[str, str]:
    """The sources of a proxy."""
    empty = {"litellm/__init__.py": "", "litellm/proxy/__init__.py": "", "litellm/unused.py": "import nothing\n"}
    return {**empty, "litellm/proxy/proxy_cli.py": SOURCE.format(more=more)}


FILES = {
    "litellm-1.50.0.tar.gz": sdist(""),
    "litellm-1.51.0-py3-none-any.whl": wheel(""),
    "litellm-1.52.0.dev1-py3-none-any.whl": wheel(FLAG),
    "litellm-1.52.0-py3-none-any.whl": wheel(FLAG),
    "litellm-1.2.0-py3-none-any.whl": wheel(""),
}


@pytest.fixture(autouse=True)
def scope(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every stable release belongs in the atlas here, not every tenth."""
    monkeypatch.setitem(builder.SCOPES, "litellm", builder.Scope(package="litellm", first="1.40.0", stable=True))


@pytest.fixture
def index() -> Iterator[Index]:
    """A running index."""
    with Index(FILES) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def reading(index: Index, state: Path) -> list[builder.Done]:
    """Every release of the proxy."""
    with Registry(Settings(index_urls=(index.url,)), wait=0.01) as registry:
        return list(builder.read_all("litellm", registry, state, lambda *_: None))


def test_every_release_in_scope_is_read_in_part(index: Index, tmp_path: Path) -> None:
    """Stable releases from the first on, oldest first, from whichever file there is; of a wheel no more than its directory and some sources."""
    found = reading(index, tmp_path)
    assert ["1.50.0", "1.51.0", "1.52.0"] == [done.version for done in found]
    assert ["", "", ""] == [done.problem for done in found]
    assert [False, False, True] == [done.table is not None and done.table.find("--debug") is not None for done in found]
    assert sum(size for name, size in index.asked if name.endswith(".whl")) < HEAVY


def test_what_is_done_is_not_fetched_again(index: Index, tmp_path: Path) -> None:
    """A second run asks the index for its list alone; a damaged state is fetched again."""
    reading(index, tmp_path)
    index.asked.clear()
    assert [False, False, False] == [done.fetched for done in reading(index, tmp_path)]
    assert [] == index.asked
    (tmp_path / "litellm" / "1.51.0.zip").write_bytes(b"torn")
    assert [False, True, False] == [done.fetched for done in reading(index, tmp_path)]


def test_a_busy_index_is_asked_again(index: Index, tmp_path: Path) -> None:
    """An index that answers 503 a few times is asked again, and answers."""
    with Registry(Settings(index_urls=(index.url,)), wait=0.01) as registry:
        releases = registry.releases("litellm")
        index.failures = 2
        assert (FILES["litellm-1.50.0.tar.gz"], 0) == registry.part(releases[1].links[0].url_without_fragment, "0-99999")[:2]


def test_a_server_without_ranges_serves_the_whole(index: Index, tmp_path: Path) -> None:
    """Where ranges are not known, the whole file is taken, and the answer is the same."""
    index.ranges = False
    assert ["", "", ""] == [done.problem for done in reading(index, tmp_path)]


def test_an_index_that_is_away_is_an_error(index: Index, tmp_path: Path) -> None:
    """An index that cannot be reached, or lacks the package, is named in the error."""
    with (
        Registry(Settings(index_urls=("http://127.0.0.1:9/simple/",), timeout=0.5), wait=0.01) as registry,
        pytest.raises(RegistryError, match=r"litellm"),
    ):
        registry.releases("litellm")
    with Registry(Settings(index_urls=(index.url,)), wait=0.01) as registry, pytest.raises(RegistryError, match=r"no release of vllm"):
        registry.releases("vllm")


def test_a_release_that_does_not_parse_is_told_and_left_out(index: Index, tmp_path: Path) -> None:
    """A release whose sources cannot be followed is a reason in its place; the others are read all the same."""
    index.files = {**FILES, "litellm-1.51.0-py3-none-any.whl": wheel("@click.option(")}
    found = reading(index, tmp_path)
    assert [True, False, True] == [not done.problem for done in found]


def test_every_tenth_and_the_newest() -> None:
    """Of stable releases, every tenth from the first on is taken, and the newest whatever its place."""
    releases = [Release(version=f"1.{number}.0{stage}", links=()) for number in range(39, 60) for stage in ("rc1", "")]
    wanted = builder.in_scope(releases, builder.Scope(package="litellm", first="1.40.0", stable=True, step=10))
    assert ["1.40.0", "1.50.0", "1.59.0"] == [release.version for release in wanted]


def test_the_data_file_is_written(index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file holds what the releases have, by the index that the machine's pip is told to use."""
    monkeypatch.setenv("PIP_INDEX_URL", index.url)
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "")
    told: list[str] = []
    built = builder.build("litellm", tmp_path / "state", tmp_path / "data", told.append)
    packed = unpack(built.path.read_bytes(), "litellm.atlas")
    assert ("1.50.0", "1.51.0", "1.52.0") == packed.releases
    assert {"--host": (0, 2), "--port": (0, 2), "--debug": (2, 2)} == {
        option.flag.names[0]: option.runs for option in packed.options if option.flag.names
    }
    assert 3 == len(told)
