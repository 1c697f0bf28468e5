"""The device is of a generation that this build, or this setting, has no code for.

What happens
    Kernels are compiled for a list of architectures; a card that is older, or newer, than the list has none. Some data types,
    quantisations and attention backends need a generation of their own.

How it shows
    no kernel image is available, sm_… is not compatible with the current PyTorch installation (a mere warning, far above), minimum
    capability, only supported on….

How to tell
    torch.cuda.get_device_capability() against torch.cuda.get_arch_list(), and against the capability that the message wants.

Fix
    A build for this architecture; or another data type, backend or quantisation (--dtype half on cards before 8.0).

Fix safety
    Only words: nothing is changed for you.

References
    https://developer.nvidia.com/cuda-gpus
"""

from agent.causes.cause import Cause

CAUSE = Cause(
    id="environment/compute-capability",
    prior=0.02,
    table={
        "error": {"compute-capability": 0.85, "device-fault": 0.02},
        "accelerator": {"free": 0.85},
    },
    summary="This build or setting has no code for the device's generation: {message}.",
    advice="Take a build made for this card's compute capability, or a setting it has kernels for (--dtype half before "
    "8.0; another backend or quantisation).",
    parameters=("message", "capability", "wanted"),
    related=("config/quantization", "environment/driver"),
)
