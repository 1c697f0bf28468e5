"""What programs say when the machine around the device is not what they need: network, tools, libraries, limits, disks. Data, one rule a wording."""

from agent.reading.device_rules import CAPABILITY, CPU, DEVICE, DRIVER, FAULT, FORK, MEMORY
from agent.reading.rule import Rule, late

SHARED: tuple[Rule, ...] = (
    late(
        "shared-memory", r"(?i)(?:creating|allocat\w+|extend\w*|attach\w*) (?:a )?shared memory (?:segment|object|region|file)s?(?: (?P<path>/\S+))?"
    ),
    late(
        "shared-memory",
        r"(?i)insufficient shared memory|out of shared memory\b(?!.*(?:Required|Hardware))|shm\w*[ _](?:size )?(?:is )?too small"
        r"|increase (?:the )?(?:shm|shared memory)|/dev/shm has only",
    ),
    late(
        "shared-memory",
        r"No space left on device.*(?P<path>/dev/shm\S*|/psm_\w+|/torch_\d+_\w+)|(?P<path2>/dev/shm\S*|/psm_\w+"
        r"|</?torch_\d+_\w+>).*No space left on device",
    ),
    late(
        "shared-memory",
        r"(?:unable to|could not|failed to) (?:open|mmap|write|resize|allocate|create)\b.{0,40}(?:shared memory|</?torch_\S+>|/dev/shm)",
    ),
)

COLLECTIVE: tuple[Rule, ...] = (
    late(
        "collective",
        r"Unable to find (?:address|interface) for: ?(?P<interface>\S+)|should have a unique IP address|no socket interface found"
        r"|Bootstrap : no socket|No interface found",
    ),
    late("collective", r"(?i)gloo connectFullMesh failed|makeDeviceForHostname|connectFullMesh|gloo/transport/tcp/pair\.cc", weak=True),
    late(
        "collective",
        r"DistNetworkError|DistStoreError|client socket has (?:failed|timed out)|Timed out after \d+ seconds waiting for clients|Socket Timeout",
    ),
    late(
        "collective",
        r"Watchdog caught collective operation timeout|(?:wait timeout|timed out) .*(?:rendezvous|TCPStore|init_process_group)"
        r"|rendezvous.*(?:timed? ?out|failed|closed)",
    ),
    late(
        "collective",
        r"peer access is not supported|custom_all_reduce\.cuh.*(?:error|invalid)|(?:IB|ibv_\w+|RDMA|NVLink"
        r"|nvshmem\w*)\b.{0,40}(?:failed|error|not supported)",
    ),
    late(
        "collective",
        r"NCCL [Ee]rror|DistBackendError|nccl(?:Unhandled|System|Internal|Remote|InvalidUsage|InvalidArgument)\w*|RCCL error"
        r"|HCCL .*error|oneCCL.*(?:error|failed)",
        weak=True,
    ),
    late("collective", r"\[enforce fail at .*gloo", weak=True),
)

TOOLCHAIN: tuple[Rule, ...] = (
    late("toolchain", r"\d+ errors? detected in the compilation of", weak=True),
    late(
        "toolchain",
        r"^(?:\S+: )?(?:line \d+: |\d+: )?(?P<tool>\S*\b(?:nvcc|hipcc|gcc|g\+\+|cc|c\+\+|clang|ninja|ld|cmake|make|ptxas"
        r"|cicc)): (?:command )?not found$",
    ),
    late(
        "toolchain",
        r"(?:No such file or directory|not found|cannot find|unable to find|could not find"
        r"|failed to find)\W.{0,20}?['\"`]?(?P<tool>\S*\b(?:nvcc|hipcc|gcc|g\+\+|c\+\+|clang\+*|ninja|cmake|ptxas))\b(?!\.\w)",
    ),
    late(
        "toolchain",
        r"(?P<tool>\b(?:nvcc|hipcc|gcc|g\+\+|clang\+*|ninja|cmake|ptxas))\b['\"`]? (?:compiler )?(?:was |is )?(?:not found"
        r"|not installed|required|missing|unavailable|is not available)",
    ),
    late("toolchain", r"fatal error: (?P<header>[\w./+-]+\.(?:h|hpp|cuh|inl)|\w+): No such file or directory"),
    late(
        "toolchain",
        r"Failed to find C compiler|No working C\+\+ compiler|InvalidCxxCompiler|(?:C|C\+\+|CUDA) compiler .*(?:not found|cannot|unable|broken)",
    ),
    late(
        "toolchain",
        r"CUDA_HOME environment variable is not set|Could not find (?:nvcc|CUDA|cuda toolkit|the CUDA compiler)"
        r"|CUDA_HOME (?:is )?(?:not set|undefined|None)|Cannot find CUDA",
    ),
    late("toolchain", r"cannot find -l:?(?P<library>[\w.+-]+)|collect2: error|ld returned 1 exit status"),
    late(
        "toolchain",
        r"Ninja is required|ninja: (?:error|fatal)|CppCompileError|C\+\+ compile error|Failed to compile|nvcc fatal|ptxas (?:fatal"
        r"|error)|nvcc error",
    ),
    late(
        "toolchain",
        r"(?:The detected )?CUDA version \(?[\d.]+\)? mismatch\w*|detected CUDA version|unsupported GNU version|GNU version .*not supported",
    ),
    late(
        "toolchain",
        r"ninja: build stopped|Error building extension|CalledProcessError: Command .*(?:gcc|g\+\+|cc1plus|clang|nvcc|ninja|cmake)",
        weak=True,
    ),
)

LIBRARY: tuple[Rule, ...] = (
    late("library-missing", r"(?P<library>[\w.+-]+\.so[\w.]*): cannot open shared object file"),
    late("library-missing", r"version [`'](?P<symbol>(?:GLIBC|GLIBCXX|CXXABI|GCC|OPENSSL|ZLIB)_[\d.]+)' not found"),
    late(
        "library-missing",
        r"(?:Could not|Unable to|Failed to) load (?:library|dynamic library|shared library"
        r"|any of \{?)[: ]*['\"]?(?P<library>[\w./+-]*\.so[\w.]*)?",
    ),
    late("library-missing", r"No module named ['\"](?P<library>_(?:ctypes|lzma|bz2|sqlite3|ssl|zlib|curses|tkinter))['\"]"),
    late(
        "library-missing",
        r"b?['\"]?(?:S3|GCS|Azure|HTTPS?|TLS|SSL) (?:is )?not supported['\"]?$|(?:library|shared object) .*(?:not found|is missing)\b",
    ),
)

LIMITS: tuple[Rule, ...] = (
    late("limit", r"\[Errno 24\]|[Tt]oo many open files", limit="files"),
    late(
        "limit",
        r"can't start new thread|pthread_create (?:failed|error)|Thread creation failed"
        r"|unable to create (?:new )?(?:native )?thread|blas_thread_init",
        limit="threads",
    ),
    late("limit", r"[Rr]esource temporarily unavailable|\[Errno 11\]|fork: retry|Cannot fork|pids\.max|RLIMIT_NPROC", limit="threads"),
    late("limit", r"RLIMIT_MEMLOCK|[Uu]nable to (?:lock|register) memory|memlock|ibv_reg_mr", limit="locked memory"),
    late("limit", r"inotify (?:watch|instance)\w* (?:limit )?(?:reached|exceeded)|OS file watch limit|vm\.max_map_count", limit="kernel"),
)

DISK: tuple[Rule, ...] = (
    late("disk-full", r"inline_container\.cc.*unexpected pos|PytorchStreamWriter failed writing", weak=True),
    late(
        "disk-full",
        r"\[Errno 28\][^'\"]*(?:['\"](?P<path>/[^'\"]+))?|No space left on device|[Dd]isk quota exceeded|\[Errno 122\]|os error 28"
        r"|(?i:disk (?:is )?full)",
    ),
    late("disk-full", r"Not enough (?:free )?disk space|(?:insufficient|not enough) (?:free )?(?:disk|storage)|ephemeral[- ]storage|DiskPressure"),
    late("read-only", r"\[Errno 30\].*?['\"](?P<path>.+?)['\"]|[Rr]ead-only file system"),
)

PERMISSION: tuple[Rule, ...] = (
    late("permission-denied", r"getpwuid\(\): uid not found: (?P<name>\d+)"),
    late(
        "permission-denied",
        r"set_?mem(?:ory_)?(?:bind|policy)|setting membind|mbind: Operation not permitted|numactl.*(?:not permitted|Invalid argument|denied)",
    ),
    late(
        "permission-denied",
        r"\[Errno 1\] Operation not permitted|(?:SECCOMP|seccomp|SELinux|AppArmor)\b.*(?:denied|blocked)|[Pp]ermission denied \(os error 13\)",
    ),
)

PROXY: tuple[Rule, ...] = (
    late(
        "proxy",
        r"ProxyError|InvalidProxyURL|Cannot connect to proxy|Unable to connect to proxy|Tunnel connection failed"
        r"|Proxy Authentication Required|407 Client Error",
    ),
    late(
        "proxy",
        r"Unknown scheme for proxy|Proxy protocol must be|SOCKS (?:proxy|support)|InvalidURL: Invalid (?:port|non-printable|IPv6)"
        r"|Invalid port: ['\"]",
    ),
    late(
        "proxy",
        r"(?:warm-?up|health|Initialization failed).*(?:<Response \[50[234]\]>|50[234] (?:Bad Gateway|Service|Gateway))|<Response \[50[234]\]>",
    ),
)

SERVICE: tuple[Rule, ...] = (
    late("permission-denied", r"(?i)\[errno 13\].*permission denied"),
    late("service", r"[Dd]atabase (?:setup|connection|migration) failed|check your database connection", weak=True),
    late(
        "service", r"Could not find any running Ray instance|Failed to connect to (?:GCS|Ray)|node timed out during startup|Unable to connect to GCS"
    ),
    late("service", r"Could not connect to the query engine|All connection attempts failed|EngineConnectionError", weak=True),
    late(
        "service",
        r"Can't reach database server at [`'\"]?(?P<address>[\w.:`'\"-]+)|\bP100[0-3]\b|could not (?:connect to|translate host name)"
        r"|connection to server at",
    ),
    late(
        "service",
        r"(?i)(?:redis|postgres\w*|prisma|database|mongo\w*|etcd|nats|zookeeper|ray|gcs|kafka|consul)\b.{0,80}(?:connection refused"
        r"|timed? ?out|unreachable|can't connect|cannot connect|could not connect|failed to connect|connecterror|not reachable)",
    ),
    late(
        "service",
        r"(?i)(?:failed to connect to|cannot connect to|could not connect to|unable to connect to|Error (?:\d+"
        r"|-\d) connecting to) (?:the )?(?P<address>(?!.*(?:huggingface|proxy|modelscope))\S+)",
    ),
    late("service", r"(?i:connection refused)|\[Errno 111\]|ConnectionRefusedError|No route to host|\[Errno 113\]", alone=False),
    late("service", r"Name or service not known|Temporary failure in name resolution|nodename nor servname|getaddrinfo failed", alone=False),
)

MACHINE: tuple[Rule, ...] = (
    *FORK,
    *SHARED,
    *PERMISSION,
    *LIMITS,
    *DISK,
    *CAPABILITY,
    *DRIVER,
    *CPU,
    *TOOLCHAIN,
    *LIBRARY,
    *MEMORY,
    *DEVICE,
    *PROXY,
    *COLLECTIVE,
    *FAULT,
)
