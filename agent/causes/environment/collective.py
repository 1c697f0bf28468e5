"""The ranks do not find each other, or their communication fails.

What happens
    NCCL or Gloo takes an interface or address that the others cannot reach, a network is filtered, or devices cannot talk peer to peer.

How it shows
    NCCL error, connectFullMesh failed, unable to find address, timeouts of a store or a rendezvous; often with no reason in the line.

How to tell
    The interfaces and addresses of each node; NCCL_DEBUG=INFO once, and what precedes the first NCCL WARN.

Fix
    GLOO_SOCKET_IFNAME, NCCL_SOCKET_IFNAME and VLLM_HOST_IP set on each node; NCCL_P2P_DISABLE=1 to tell a peer-to-peer fault.

Fix safety
    Only words: nothing is changed for you.

References
    https://docs.vllm.ai/en/latest/usage/troubleshooting.html
"""

from agent.causes.cause import Cause

CAUSE = Cause(
    id="environment/collective",
    prior=0.02,
    table={
        "error": {"collective": 0.7, "hang": 0.08, "service": 0.02, "ranks": 0.004},
        "phase": {"engine": 0.6, "weights": 0.09, "cache": 0.07},
    },
    summary="The ranks cannot communicate: {message}.",
    advice="Set GLOO_SOCKET_IFNAME, NCCL_SOCKET_IFNAME and VLLM_HOST_IP to an interface the others reach; "
    "run once with NCCL_DEBUG=INFO and read the first WARN.",
    parameters=("message", "interface"),
    related=("environment/shared-memory", "process/service-down"),
)
