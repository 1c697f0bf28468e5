"""Every probe, in the order in which the checks ask them: what one answers, a later one may build on."""

from probes.argv_echo import PROBE as ARGV_ECHO
from probes.config_file import PROBE as CONFIG_FILE
from probes.device_memory import PROBE as DEVICE_MEMORY
from probes.disk_space import PROBE as DISK_SPACE
from probes.environment import PROBE as ENVIRONMENT
from probes.executable import PROBE as EXECUTABLE
from probes.files import PROBE as FILES
from probes.help_grep import PROBE as HELP_GREP
from probes.json_value import PROBE as JSON_VALUE
from probes.kernel_log import PROBE as KERNEL_LOG
from probes.log_provenance import PROBE as LOG_PROVENANCE
from probes.model_folder import PROBE as MODEL_FOLDER
from probes.model_weights import PROBE as MODEL_WEIGHTS
from probes.parser_dry_run import PROBE as PARSER_DRY_RUN
from probes.port_owner import PROBE as PORT_OWNER
from probes.probe import Probe
from probes.process_limits import PROBE as PROCESS_LIMITS
from probes.script import PROBE as SCRIPT
from probes.signature import PROBE as SIGNATURE
from probes.source_flags import PROBE as SOURCE_FLAGS
from probes.versions import PROBE as VERSIONS

PROBES: tuple[Probe, ...] = (
    ENVIRONMENT,
    SCRIPT,
    EXECUTABLE,
    VERSIONS,
    ARGV_ECHO,
    SOURCE_FLAGS,
    JSON_VALUE,
    FILES,
    CONFIG_FILE,
    MODEL_FOLDER,
    PORT_OWNER,
    LOG_PROVENANCE,
    # what only a failure of its kind asks for
    DEVICE_MEMORY,
    DISK_SPACE,
    KERNEL_LOG,
    PROCESS_LIMITS,
    MODEL_WEIGHTS,
    # what no check asks: it costs the framework's imports
    PARSER_DRY_RUN,
    HELP_GREP,
    SIGNATURE,
)
