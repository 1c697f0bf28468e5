"""The secrets of a launch and of this environment, and the launch without them."""

from collections.abc import Mapping

import msgspec

from transcripts.records import Launch
from transcripts.redact import Vault


def learnt(launch: Launch | None, environment: Mapping[str, str]) -> Vault:
    """A vault that knows the secrets of this environment and of the launch."""
    vault = Vault()
    if launch is not None:
        for text in (*launch.argv, *launch.env.values()):
            vault.reserve(text)
        vault.learn_argv(launch.argv)
        if launch.origin is not None:
            vault.reserve(launch.origin.text)
    vault.learn_environment(environment)
    return vault


def hidden(launch: Launch | None, vault: Vault) -> Launch | None:
    """The launch with every secret in it replaced by its ``$NAME``, and the names that stand for them."""
    if launch is None:
        return None
    plain = vault.hide_all(msgspec.to_builtins(launch))
    made = msgspec.structs.replace(msgspec.convert(plain, Launch), secrets=tuple(dict.fromkeys((*launch.secrets, *vault.names))))
    if made.origin is None:
        return made
    # what stands for a secret in the text of the file is a value there, too: no format may take it for a variable of its own
    stands = {name: f"${name}" for name in vault.names if f"${name}" in made.origin.text}
    origin = msgspec.structs.replace(made.origin, environment={**made.origin.environment, **stands})
    return msgspec.structs.replace(made, origin=origin)
