"""What programs say when the machine is not what they need: device, driver, memory, network, tools, limits. Data, one rule a wording."""

from agent.reading.rule import Rule, late

FORK: tuple[Rule, ...] = (
    late("fork", r"An attempt has been made to start a new process before the$"),
    late("fork", r"Cannot re-?initialize (?:CUDA|XPU|NPU|HIP) in forked subprocess|(?:poison(?:ed)?|bad) fork|in a forked (?:child|sub)"),
    late("fork", r"before the current process has finished its bootstrapping phase|must use the ['\"]?spawn['\"]? start method"),
)

CAPABILITY: tuple[Rule, ...] = (
    late("compute-capability", r"(?i)requires? SM ?[<>=]+ ?\d+|out of resource: shared memory, Required"),
    late("compute-capability", r"no kernel image is available|cudaErrorNoKernelImageForDevice|hipErrorNoBinaryForGpu"),
    late("compute-capability", r"with CUDA capability (?P<capability>sm_\w+) is not compatible"),
    late("compute-capability", r"(?:invalid device function|device kernel image is invalid)"),
    late("compute-capability", r"Bfloat16 is only supported on GPUs with compute capability"),
    late("compute-capability", r"[Mm]inimum capability: (?P<wanted>\d+)\.? Current capability: (?P<capability>\d+)"),
    late("compute-capability", r"(?i)(?:requires?|needs?|supports?|supported|at least|>=|minimum|only)\W.{0,60}\bcompute capability"),
    late(
        "compute-capability",
        r"(?i)compute capability \W?[\d.]+\W?.{0,40}(?:not supported|unsupported|too low|is required|required|or higher|is below|< )",
    ),
    late("compute-capability", r"(?i)unsupported (?:GPU|gpu architecture|CUDA arch\w*|compute capability|device capability|SM)\b"),
    late("compute-capability", r"(?i)unsupported gpu architecture ['\"]?(?P<capability>compute_\w+)"),
    late("compute-capability", r"Value ['\"](?P<capability>sm_\w+)['\"] is not defined for option ['\"]gpu-name"),
    late("compute-capability", r"only supports? (?:Ampere|Hopper|Blackwell|Ada|Turing|SM ?\d+)|(?:Ampere|Hopper|Blackwell|Ada) (?:GPUs? )?or newer"),
    late("compute-capability", r"(?i)not supported (?:on|by|for) (?:this|the current|your) (?:GPU|architecture|device)\b|requires \.?target sm_\d+"),
    late("compute-capability", r"type fp8e4\w+ not supported in this architecture|(?:FlashAttention|FlashMLA|FA[234])\b.{0,40}only supports?"),
    late("compute-capability", r"(?i)sm_?\d{2,3}a?\b.{0,30}(?:not supported|unsupported|is not compatible)|Unsupported architecture: ?\d+"),
)

DRIVER: tuple[Rule, ...] = (
    late("driver-absent", r"(?P<library>libcuda\.so(?:\.1)?) cannot (?:be )?found|CUDA driver initialization failed|driver not loaded"),
    late(
        "driver",
        r"Error 80[2-4]\b|unsupported display driver / cuda driver combination|system not yet initialized|forward compatibility was attempted",
    ),
    late("driver", r"(?i)CUDA driver version is insufficient|NVIDIA driver on your system is too old|cudaErrorInsufficientDriver|driver is too old"),
    late("driver", r"compiled with an unsupported toolchain|cudaErrorUnsupportedPtxVersion|unsupported PTX version"),
    late("driver", r"[Dd]river/library version mismatch|unsatisfied condition: (?:cuda|driver|brand)|please update your driver"),
    late(
        "driver",
        r"(?i)requires? (?:a newer |an? )?(?:NVIDIA |CUDA )?driver\b.{0,40}(?:>=|version|or (?:newer|later))|CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
    ),
    late("driver", r"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver|nvidia-fabricmanager|CUDA_ERROR_SYSTEM_NOT_READY"),
    late("driver-absent", r"Found no NVIDIA driver|NVML Shared Library Not Found|NVMLError_LibraryNotFound|CUDA driver library .*not found"),
    late("driver-absent", r"(?P<library>lib(?:cuda|nvidia-ml|nvcuvid|amdhip64|ze_loader|ascendcl)\.so[\w.]*): cannot open shared object"),
    late(
        "driver-absent",
        r"could not select device driver|nvidia-container-cli: (?:initialization|detection|mount) error|load library failed: libnvidia-ml",
    ),
    late("driver-absent", r"(?:unknown|unrecognized) or invalid runtime name: nvidia|unresolvable CDI devices|stub library|CUDA_ERROR_STUB_LIBRARY"),
)

DEVICE: tuple[Rule, ...] = (
    late(
        "device",
        r"No CUDA GPUs are available|no CUDA-capable device|CUDA_ERROR_NO_DEVICE|(?:Failed|Unable) to infer device type"
        r"|Device string must not be empty",
    ),
    late(
        "device",
        r"Torch not compiled with (?:CUDA|XPU|ROCm)|No accelerator .*available|No (?:HIP|XPU|NPU|TPU|ROCm) (?:GPUs|devices?)"
        r"|CUDA is not available",
    ),
    late(
        "device",
        r"(?i)no (?:supported )?(?:gpu|device|accelerator)s? (?:was |were |is |are )?(?:found|detected|visible|available)\b"
        r"|cuda\.is_available\(\).*False",
    ),
    late("device", r"No platform detected|UnspecifiedPlatform|Insufficient (?:nvidia|amd)\.com/gpu"),
    late("ranks", r"invalid device ordinal|local[_ ]rank \S+ is out of bounds|Duplicate GPU detected"),
    late(
        "ranks",
        r"(?i)(?:world size|required GPUs|number of ranks|tensor parallel size|tp_size|n_gpus"
        r"|gpus? requested)\b.{0,60}(?:is larger than|exceeds?|is greater than|more than|>|cannot be larger)\b.{0,60}(?:gpu|device"
        r"|placement|available)",
    ),
    late(
        "ranks",
        r"(?i)placement group (?:of specs .*|requiring \d+.*)?(?:cannot|can't|could not|not) |Cannot provide a placement group"
        r"|total number of ranks .* should be smaller",
    ),
    late(
        "ranks",
        r"(?i)(?:only|but) (?:found )?\d+ (?:visible |available )?(?:gpu|device)s?\b.{0,40}(?:available|visible|found|detected"
        r"|present)?|not enough (?:gpu|device)s\b",
    ),
)

FAULT: tuple[Rule, ...] = (
    late(
        "device-fault",
        r"CUDA error: |CUDA driver error: |HIP error: |cudaGetDeviceCount|NVMLError|CUBLAS_STATUS_\w+|CUDNN_STATUS_\w+|AcceleratorError",
        weak=True,
    ),
    late(
        "device-fault", r"illegal memory access|device-side assert|uncorrectable ECC|unspecified launch failure|misaligned address|\bXid\b", weak=True
    ),
)

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
    late("collective", r"Unable to find address for: ?(?P<interface>\S+)|no socket interface found|Bootstrap : no socket|No interface found"),
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

CPU: tuple[Rule, ...] = (
    late(
        "cpu-features",
        r"(?i)(?:requires?|needs?|without|does not support|lacks?|no support for|missing)\W.{0,30}\b(?P<feature>avx2|avx512\w*|avx"
        r"|amx\w*|sse4\w*|neon|sve|vnni)\b",
    ),
    late("cpu-features", r"(?i)\b(?P<feature>avx2|avx512\w*|amx\w*|avx)\b.{0,40}(?:is required|not supported|not available|unsupported|missing)"),
)

MEMORY: tuple[Rule, ...] = (
    late("host-memory", r"oom-kill|oom_reaper|Out of memory: Killed process|OOMKilled|killed by the OOM killer"),
    late("host-memory", r"Task was killed due to the node running low on memory|node running low on memory|Memory cgroup out of memory"),
    late("host-memory", r"killed by SIGKILL by OOM killer", weak=True),
    late(
        "free-memory",
        r"Free memory on device.*?\((?P<free>[\d.]+)/(?P<total>[\d.]+) GiB\)"
        r".*?less than desired GPU memory utilization(?: \((?P<share>[\d.]+), (?P<asked>[\d.]+) GiB)?",
    ),
    late(
        "free-memory", r"less than desired GPU memory utilization|memory capacity is unbalanced|Error in memory profiling|memory usage .*unbalanced"
    ),
    late("free-memory", r"other process(?:es)? (?:is|are|may be) using|occupied by (?:an)?other process"),
    late("cache-memory", r"max seq len \((?P<asked>\d+)\).*?(?:KV cache|stored in)[^(]*\(?(?P<free>[\d.]+)?", held="one request"),
    late("cache-memory", r"(?:at least one request|model's max seq len|maximum number of tokens that can be stored in KV cache)", held="one request"),
    late(
        "cache-memory",
        r"No available memory for the cache blocks|[Ll]oaded weights leave no (?:GPU )?memory|No available blocks? memory",
        held="nothing",
    ),
    late(
        "cache-memory",
        r"Not enough memory\.? ?Please try|(?i:not enough|insufficient) (?:GPU )?memory (?:left )?for (?:the )?(?:KV|key)"
        r"|max_total_num_tokens.*(?:<=? ?0|negative|too small)|KV cache (?:is too small|pool size)",
        held="nothing",
    ),
    late(
        "host-memory",
        r"DefaultCPUAllocator: (?:not enough|can't allocate) memory|[Cc]annot allocate memory|can't allocate memory|\bMemoryError\b"
        r"|bad_alloc|\[Errno 12\]|fatal error: Killed signal",
    ),
    late("memory", r"(?i)\bout of memory\b"),
    late(
        "memory",
        r"OutOfMemoryError|Resource exhausted: OOM|CUDA_ERROR_OUT_OF_MEMORY|cudaErrorMemoryAllocation|CUBLAS_STATUS_ALLOC_FAILED"
        r"|hipErrorOutOfMemory|RESOURCE_EXHAUSTED",
    ),
)

SERVICE: tuple[Rule, ...] = (
    late("service", r"[Dd]atabase (?:setup|connection|migration) failed|check your database connection", weak=True),
    late(
        "service", r"Could not find any running Ray instance|Failed to connect to (?:GCS|Ray)|node timed out during startup|Unable to connect to GCS"
    ),
    late("service", r"Could not connect to the query engine|All connection attempts failed|EngineConnectionError", weak=True),
    late(
        "service",
        r"Can't reach database server at [`'\"]?(?P<address>[\w.:`'\"-]+)|\bP100[01]\b|could not (?:connect to|translate host name)"
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
