"""What programs say of the device, its driver and its memory, and of the processor. Data, one rule a wording."""

from agent.reading.rule import Rule, late

FORK: tuple[Rule, ...] = (
    late("fork", r"An attempt has been made to start a new process before the$"),
    late("fork", r"Cannot re-?initialize (?:CUDA|XPU|NPU|HIP) in forked subprocess|(?:poison(?:ed)?|bad) fork|in a forked (?:child|sub)"),
    late("fork", r"before the current process has finished its bootstrapping phase|must use the ['\"]?spawn['\"]? start method"),
)

CAPABILITY: tuple[Rule, ...] = (
    late("compute-capability", r"(?i)requires? SM ?[<>=]+ ?\d+|out of resource: shared memory, Required"),
    late(
        "compute-capability",
        r"(?:[Rr]equires?|[Nn]eeds?|only (?:on|supports?|for))\b.{0,40}\b(?:SM[ _]?\d{2,3}|Blackwell|Hopper|Ampere|Ada Lovelace)\b",
        alone=False,
    ),
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
    late("driver-absent", r"(?P<library>libcuda\.so(?:\.1)?) cannot (?:be )?found", weak=True),
    late("library-missing", r"Possible files are located at \[['\"](?P<library>[^'\"]+)"),
    late("driver-absent", r"CUDA driver initialization failed|driver not loaded"),
    late(
        "driver",
        r"Error 80[2-4]\b|unsupported display driver / cuda driver combination|system not yet initialized|forward compatibility was attempted",
    ),
    late("driver", r"(?i)CUDA driver version is insufficient|NVIDIA driver on your system is too old|cudaErrorInsufficientDriver|driver is too old"),
    late("driver", r"compiled with an unsupported toolchain|cudaErrorUnsupportedPtxVersion|unsupported PTX version"),
    late(
        "driver",
        r"[Dd]river/library version mismatch|LibRmVersionMismatch|NVML/RM version mismatch"
        r"|unsatisfied condition: (?:cuda|driver|brand)|please update your driver",
    ),
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
    late("device", r"No platform detected|UnspecifiedPlatform|Current node has no \w+ available|Insufficient (?:nvidia|amd)\.com/gpu"),
    # Triton's kernels on a machine whose device has no driver, or that has none
    late("device", r"\b0 active drivers \(\[\]\)"),
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

CPU: tuple[Rule, ...] = (
    late(
        "cpu-features",
        r"(?i)(?:requires?|needs?|without|does not support|lacks?|no support for|missing)\W.{0,30}\b(?P<feature>avx2|avx512\w*|avx"
        r"|amx\w*|sse4\w*|neon|sve|vnni)\b",
    ),
    late("cpu-features", r"(?i)\b(?P<feature>avx2|avx512\w*|amx\w*|avx)\b.{0,40}(?:is required|not supported|not available|unsupported|missing)"),
)

MEMORY: tuple[Rule, ...] = (
    late(
        "host-memory",
        r"oom[-_]kill|oom_reaper|\bOOM Killed\b|srun: error: .*Out Of Memory|Out of memory: Killed process|OOMKilled|killed by the OOM killer",
    ),
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
        r"No available memory for the cache blocks|memory available to serve even a single token"
        r"|[Ll]oaded weights leave no (?:GPU )?memory|No available blocks? memory",
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
