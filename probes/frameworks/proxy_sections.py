"""The sections of the LiteLLM proxy's configuration file."""

SECTIONS = (
    "model_list",
    "litellm_settings",
    "general_settings",
    "router_settings",
    "environment_variables",
    "callback_settings",
    "assistant_settings",
    "files_settings",
    "finetune_settings",
    "credential_list",
    "guardrails",
    "include",
    "mcp_servers",
    "mcp_tools",
    "search_tools",
    "vector_store_registry",
)
"""The sections that the proxy reads; one whose name is nearly that is ignored in silence, and the proxy then serves nothing."""

MAPPINGS = ("litellm_settings", "general_settings", "router_settings", "environment_variables")
"""Those of them that hold names and values."""
