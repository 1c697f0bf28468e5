"""The package index, through `unearth`: which releases of a package there are, and parts of their files, over one connection."""

import io
import re
import ssl
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar, cast

import httpx2
from msgspec import Struct
from packaging.version import InvalidVersion, Version
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential, wait_random
from unearth import Link, PackageFinder
from unearth.auth import MultiDomainBasicAuth
from unearth.fetchers import Fetcher, PyPIClient

from probes.atlas.building.settings import RegistryError, Settings

_TRIES = 5
Result = TypeVar("Result")
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)$")


class Release(Struct, frozen=True, kw_only=True):
    """One release: its `version`, and its files that may be read, the best first (a wheel is read in part, a source archive as a whole)."""

    version: str
    links: tuple[Link, ...]


class _TryAgain(Exception):
    """The server is busy (429 or 5xx)."""


class Registry:
    """The machine's package index. Use as a context manager: one connection is kept meanwhile."""

    def __init__(self, settings: Settings, *, wait: float = 1.0) -> None:
        self.settings = settings
        self.bytes = 0
        self.requests = 0
        context = ssl.create_default_context(cafile=settings.cert if Path(settings.cert).is_file() else None)
        if Path(settings.cert).is_dir() and settings.cert:
            context.load_verify_locations(capath=settings.cert)
        if settings.client_cert:
            context.load_cert_chain(settings.client_cert)
        self._client = PyPIClient(
            trusted_hosts=settings.trusted_hosts,
            verify=context,
            timeout=settings.timeout,
            limits=httpx2.Limits(max_connections=1, max_keepalive_connections=1),
            follow_redirects=True,
            proxy=settings.proxy or None,
        )
        self._client.auth = MultiDomainBasicAuth(index_urls=settings.index_urls)
        self._retrying = Retrying(
            retry=retry_if_exception_type((httpx2.TransportError, _TryAgain)),
            stop=stop_after_attempt(_TRIES),
            wait=wait_exponential(multiplier=wait, max=30) + wait_random(0, wait),
            reraise=True,
        )

    def __enter__(self) -> "Registry":
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def releases(self, package: str) -> tuple[Release, ...]:
        """Every release of `package`, oldest first, yanked ones and candidates too.

        Raises:
            RegistryError: the index cannot be reached, or has no such package.
        """
        finder = PackageFinder(
            session=cast(Fetcher, self._client),
            index_urls=self.settings.index_urls,
            find_links=[place for place in self.settings.find_links if "://" in place or Path(place).exists()],
            trusted_hosts=self.settings.trusted_hosts,
            ignore_compatibility=True,
        )
        found: dict[Version, list[Link]] = {}
        for item in self._tried(f"the list of {package}", lambda: list(finder.find_all_packages(package, allow_yanked=True))):
            version = _version(item.version or "")
            if version is not None:
                found.setdefault(version, []).append(item.link)
        if not found:
            raise RegistryError(f"no release of {package} at {', '.join(self.settings.index_urls)}: the index is away, or has no such package")
        return tuple(Release(version=str(version), links=_best(found[version])) for version in sorted(found))

    def part(self, url: str, span: str) -> tuple[bytes, int, int]:
        """Bytes `span` (as in a ``Range`` header) of a file, their offset, and the size of the whole; all from a server without ranges."""

        def ask() -> tuple[bytes, int, int]:
            answer = self._client.get(url, headers={"Range": f"bytes={span}", "Accept-Encoding": "identity"})
            self._checked(answer, url)
            match = _RANGE.match(answer.headers.get("Content-Range", ""))
            content = answer.content
            self.bytes += len(content)
            if answer.status_code == 206 and match:
                return content, int(match[1]), int(match[3])
            return content, 0, len(content)

        return self._tried(url, ask)

    def whole(self, url: str) -> io.BytesIO:
        """A whole file."""

        def ask() -> io.BytesIO:
            answer = self._client.get(url, headers={"Accept-Encoding": "identity"})
            self._checked(answer, url)
            self.bytes += len(answer.content)
            return io.BytesIO(answer.content)

        return self._tried(url, ask)

    def _checked(self, answer: httpx2.Response, url: str) -> None:
        self.requests += 1
        if answer.status_code == 429 or answer.status_code >= 500:
            raise _TryAgain(f"{answer.status_code} {answer.reason_phrase}")
        if answer.status_code >= 400:
            raise RegistryError(f"{url}: the server answers {answer.status_code} {answer.reason_phrase}")

    def _tried(self, what: str, ask: Callable[[], Result]) -> Result:
        try:
            return self._retrying(ask)
        except (httpx2.TransportError, _TryAgain) as error:
            raise RegistryError(f"{what}: {error or type(error).__name__}, {_TRIES} times; try again later: what is done is kept") from error


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None


def _best(links: Iterable[Link]) -> tuple[Link, ...]:
    """Wheels for this kind of machine before others, all wheels before source archives."""
    kept = [link for link in links if link.is_wheel or link.filename.endswith((".tar.gz", ".zip"))]
    return tuple(sorted(kept, key=lambda link: (not link.is_wheel, "x86_64" not in link.filename and "none-any" not in link.filename, link.filename)))
