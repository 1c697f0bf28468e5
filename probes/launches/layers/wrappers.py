"""Programs that run other programs: which of their words are their own, and where the inner command begins."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from probes.launches.words import words


@dataclass(frozen=True)
class Wrapper:
    """`valued` are the options that take the next word; `leading` the number of words of its own before the command.

    `assigns` says that ``A=B`` words may stand there.
    """

    valued: frozenset[str] = frozenset()
    leading: int = 0
    assigns: bool = False


def _wrapper(valued: str = "", leading: int = 0, *, assigns: bool = False) -> Wrapper:
    return Wrapper(frozenset(valued.split()), leading, assigns)


WRAPPERS: dict[str, Wrapper] = {
    "nohup": _wrapper(),
    "exec": _wrapper("-a"),
    "command": _wrapper(),
    "builtin": _wrapper(),
    "time": _wrapper("-f -o --format --output"),
    "nice": _wrapper("-n --adjustment"),
    "ionice": _wrapper("-c -n --class --classdata"),
    "numactl": _wrapper("-i -N -C -m -p -P --interleave --cpunodebind --physcpubind --membind --preferred --preferred-many -w --weighted-interleave"),
    "taskset": _wrapper("", 1),
    "chrt": _wrapper("-T -P -D", 1),
    "setsid": _wrapper(),
    "stdbuf": _wrapper("-i -o -e --input --output --error"),
    "unbuffer": _wrapper(),
    "timeout": _wrapper("-s -k --signal --kill-after", 1),
    "sudo": _wrapper("-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --chroot", assigns=True),
    "doas": _wrapper("-u -C"),
    "gosu": _wrapper("", 1),
    "su-exec": _wrapper("", 1),
    "setpriv": _wrapper("--reuid --regid --groups --inh-caps --bounding-set"),
    "tini": _wrapper("-p -e"),
    "dumb-init": _wrapper("-r --rewrite"),
    "catchsegv": _wrapper(),
    "strace": _wrapper("-o -e -p -s -u -P -a -E -O -S -X -b"),
    "systemd-run": _wrapper("-p -u -M -H --unit --property --slice --uid --gid --setenv -E --description --working-directory"),
    "systemd-inhibit": _wrapper("--what --who --why --mode"),
    "sshpass": _wrapper("-p -f -d -P"),
    "proxychains4": _wrapper("-f"),
    "proxychains": _wrapper("-f"),
    "mpirun": _wrapper("-n -np -x -H -N --host --hostfile --mca -mca --map-by --bind-to"),
    "srun": _wrapper(
        "-n -N -p -A -t -w -c -J -G -o -e -x -D --partition --account --time --nodes --ntasks --job-name --gres --container-image --container-mounts"
    ),
    "nsys": _wrapper("-o -t -w -f -s --output --trace --sample --force-overwrite --trace-fork-before-exec --cuda-graph-trace", 1),
}
# Programs whose command follows one of these words ("conda run", "uv run").
RUNNERS: dict[str, tuple[frozenset[str], Wrapper]] = {
    **dict.fromkeys(("conda", "mamba", "micromamba"), (frozenset({"run"}), _wrapper("-n --name -p --prefix --cwd -e --env"))),
    "uv": (
        frozenset({"run"}),
        _wrapper(
            "--with --with-editable --with-requirements --extra --group --no-group --only-group --env-file -p --python "
            "--project --directory --package "
            "--index --default-index -i --index-url --extra-index-url -f --find-links --index-strategy --resolution "
            "--prerelease --cache-dir --config-file --refresh-package -C"
        ),
    ),
    **dict.fromkeys(("poetry", "pipenv", "pdm", "hatch", "pixi", "rye"), (frozenset({"run"}), _wrapper("-e --environment -P --project"))),
}
_SSH_VALUED = frozenset("-" + letter for letter in "BbcDEeFIiJLlmOopQRSWw")
_POD_VALUED = words("-c -n -f --container --namespace --filename --context --kubeconfig --cluster --user -s --server --pod-running-timeout")


def split_wrapper(name: str, argv: Sequence[str]) -> int | None:
    """The index where the command of the wrapper `name` begins in `argv`; None where it is no wrapper, or runs nothing."""
    at, wrapper = 1, WRAPPERS.get(name)
    if name in RUNNERS:
        verbs, wrapper = RUNNERS[name]
        while at < len(argv) and argv[at].startswith("-"):
            at += 1
        if at >= len(argv) or argv[at] not in verbs:
            return None
        at += 1
    if wrapper is None or (name == "command" and argv[1:2] and argv[1] in ("-v", "-V")) or (name == "taskset" and "-p" in argv[1:2]):
        return None
    at = skip_options(argv, at, wrapper.valued)
    if wrapper.assigns:
        while at < len(argv) and re.match(r"[A-Za-z_]\w*=", argv[at]):
            at += 1
    at += wrapper.leading
    if wrapper.leading:
        at = skip_options(argv, at, wrapper.valued)
    return at if at < len(argv) else None


def skip_options(argv: Sequence[str], at: int, valued: frozenset[str]) -> int:
    """The index of the first word from `at` on that is no option (behind a ``--``)."""
    while at < len(argv) and argv[at].startswith("-") and argv[at] != "-":
        if argv[at] == "--":
            return at + 1
        at += 2 if argv[at] in valued else 1
    return at


def split_ssh(argv: Sequence[str]) -> int | None:
    """The index of the first word behind the host of an ``ssh`` command; None where there is no host."""
    at = _skip_ssh(argv, 1)
    if at >= len(argv):
        return None
    return _skip_ssh(argv, at + 1)


def _skip_ssh(argv: Sequence[str], at: int) -> int:
    while at < len(argv) and argv[at].startswith("-") and len(argv[at]) > 1:
        if argv[at] == "--":
            return at + 1
        # The last letter of a cluster may take the next word (-tp 22).
        at += 2 if "-" + argv[at][-1] in _SSH_VALUED and not any("-" + one in _SSH_VALUED for one in argv[at][1:-1]) else 1
    return at


def split_pod(argv: Sequence[str]) -> int | None:
    """The index of the inner command of ``kubectl exec`` (or ``oc exec``, ``kubectl run … --``); None where there is none."""
    at = skip_options(argv, 1, _POD_VALUED)
    if at >= len(argv) or argv[at] not in ("exec", "run", "debug"):
        return None
    if "--" in argv[at:]:
        inner = list(argv).index("--", at) + 1
        return inner if inner < len(argv) else None
    inner = skip_options(argv, skip_options(argv, at + 1, _POD_VALUED) + 1, _POD_VALUED)
    return inner if inner < len(argv) and argv[at] == "exec" else None
