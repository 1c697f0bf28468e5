"""Statistics over many runs, by an embedded query engine that reads the transcripts as they lie there (DuckDB, the extra ``runs``)."""

from pathlib import Path
from typing import Literal

from transcripts.errors import UsageError
from transcripts.journal import FILE_NAME
from transcripts.records import Record

By = Literal["cause", "framework", "release", "outcome", "verb", "day"]

_EVENTS = """
create view events as
select filename, event, seq, try_cast("at" as timestamptz) as t, diagnosis, reading, framework, release, verb
from read_json($files, format = 'newline_delimited', filename = true, ignore_errors = true, maximum_object_size = 268435456,
  columns = {event: 'VARCHAR', seq: 'BIGINT', "at": 'VARCHAR', diagnosis: 'JSON', reading: 'JSON', framework: 'VARCHAR',
             release: 'VARCHAR', verb: 'VARCHAR'})
"""
_RUNS = """
create view runs as
select filename,
  min(t) as started,
  date_diff('millisecond', min(t), max(t) filter (event = 'diagnosed')) / 1000.0 as seconds,
  coalesce(max(framework) filter (event = 'launch-understood' and framework <> ''), max(framework) filter (event = 'run-started'), '') as framework,
  coalesce(nullif(max(release) filter (event = 'run-started'), ''),
    max(regexp_extract(reading->>'text', '^\\S+ (\\d[\\w.+!-]*)', 1)) filter (reading->'question'->>'probe' = 'versions'), '') as release,
  coalesce(max(verb) filter (event = 'run-started'), '') as verb,
  coalesce(max(diagnosis->>'outcome') filter (event = 'diagnosed'), 'cut off') as outcome,
  coalesce(max(diagnosis->'cause'->'hypothesis'->>'cause') filter (event = 'diagnosed'), '') as cause,
  coalesce(max(try_cast(diagnosis->>'launches' as bigint)) filter (event = 'diagnosed'), 0) as launches,
  count(*) filter (event = 'question-answered') as probes,
  cast(min(t) as date)::varchar as day
from events group by filename having count(*) filter (event = 'run-started') > 0
"""
_STATISTICS = """
select coalesce(nullif({by}, ''), 'none') as name, count(*) as runs, count(*) filter (outcome = 'up') as up,
  count(*) filter (outcome = 'diagnosed') as diagnosed, median(seconds) as seconds, quantile_cont(seconds, 0.9) as slow,
  avg(launches) as launches, avg(probes) as probes
from runs group by name order by runs desc, name
"""


class Group(Record, frozen=True, kw_only=True):
    """The runs of one name together: how many, how many came up or were diagnosed, the median and the 90th percentile of the seconds to a
    verdict (None: none came to one), launches and probes on average."""

    name: str
    runs: int
    up: int
    diagnosed: int
    seconds: float | None
    slow: float | None
    launches: float
    probes: float


def statistics(folder: Path, by: By) -> tuple[Group, ...]:
    """The runs under a transcripts folder, counted by `by`, the largest group first.

    Raises:
        UsageError: DuckDB is not installed.
    """
    if not any(folder.glob(f"*/{FILE_NAME}")):
        return ()
    try:
        import duckdb  # noqa: PLC0415 - heavy, an extra, and wanted by this question alone
    except ImportError as error:
        raise UsageError("statistics need DuckDB: pip install 'nostart[runs]' (the list of runs works without it)") from error
    files = str(folder / "*" / FILE_NAME).replace("'", "''")
    with duckdb.connect(":memory:", config={"autoinstall_known_extensions": False, "threads": 2}) as engine:
        engine.execute(_EVENTS.replace("$files", f"'{files}'"))
        engine.execute(_RUNS)
        rows = engine.execute(_STATISTICS.format(by=by)).fetchall()
    names = Group.__struct_fields__
    return tuple(Group(**dict(zip(names, row, strict=True))) for row in rows)
