"""A proxy variable catches, or breaks, the server's own requests.

What happens
    http_proxy or all_proxy is set and also used for local addresses, or its value is no address; the proxy answers instead of the server,
    or the client cannot be built.

How it shows
    A warm-up or health request answered with 502, 503 or 504; ProxyError; invalid port or unknown scheme.

How to tell
    The names of the proxy variables in the environment, and whether NO_PROXY holds localhost.

Fix
    NO_PROXY=localhost,127.0.0.1,0.0.0.0, or the proxy variables unset for the server.

Fix safety
    A proxy is often required by the site: it is not removed for you.

References
    https://requests.readthedocs.io/en/latest/user/advanced/#proxies
"""

from agent.causes.cause import Cause

CAUSE = Cause(
    id="environment/proxy",
    prior=0.012,
    table={
        "error": {"proxy": 0.88, "offline": 0.06},
    },
    summary="A proxy setting catches or breaks requests of the server: {message}.",
    advice="Set NO_PROXY=localhost,127.0.0.1,0.0.0.0 (or unset http_proxy, https_proxy and all_proxy) for the server.",
    parameters=("message",),
    related=("model/offline",),
)
