"""Every probe, in the order in which the checks ask them: what one answers, a later one may build on."""

from probes.environment import PROBE as ENVIRONMENT
from probes.executable import PROBE as EXECUTABLE
from probes.files import PROBE as FILES
from probes.model_folder import PROBE as MODEL_FOLDER
from probes.port_owner import PROBE as PORT_OWNER
from probes.probe import Probe
from probes.script import PROBE as SCRIPT
from probes.versions import PROBE as VERSIONS

PROBES: tuple[Probe, ...] = (
    ENVIRONMENT,
    SCRIPT,
    EXECUTABLE,
    VERSIONS,
    # argv-echo, then the flags by source (and help-grep, parser-dry-run, signature, which no check asks), json-value
    FILES,
    # config-file
    MODEL_FOLDER,
    PORT_OWNER,
)
