"""Every format of session that can be imported, by its name on the command line."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from transcripts.importers import asciinema, claude_code, mini_swe_agent, opencode, shell_log, typescript
from transcripts.importers.session import Session

IMPORTERS: Mapping[str, Callable[[bytes], Session]] = MappingProxyType(
    {
        "claude-code": claude_code.read,
        "opencode": opencode.read,
        "mini-swe-agent": mini_swe_agent.read,
        "asciinema": asciinema.read,
        "typescript": typescript.read,
        "shell": shell_log.read,
    }
)
