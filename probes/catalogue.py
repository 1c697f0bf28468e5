"""Every probe, in the order in which the checks ask them: what one answers, a later one may build on."""

from probes.argv_echo import PROBE as ARGV_ECHO
from probes.config_file import PROBE as CONFIG_FILE
from probes.environment import PROBE as ENVIRONMENT
from probes.executable import PROBE as EXECUTABLE
from probes.files import PROBE as FILES
from probes.json_value import PROBE as JSON_VALUE
from probes.log_provenance import PROBE as LOG_PROVENANCE
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
    ARGV_ECHO,
    # the flags of the installed release, then what no check asks: help, the parser itself, the signature
    JSON_VALUE,
    FILES,
    CONFIG_FILE,
    MODEL_FOLDER,
    PORT_OWNER,
    LOG_PROVENANCE,
)
