"""What the message of an error speaks of."""

import pytest

from agent.reading.topics import topic_of

MESSAGES = (
    ("ValueError: Total number of attention heads (40) must be divisible by tensor parallel size (6).", "parallelism"),
    ("ValueError: num_speculative_tokens=3 must be divisible by n_predict=2", "speculative"),
    ("ValueError: Model architectures ['FooForCausalLM'] are not supported for now.", "architecture"),
    ("KeyError: 'qwen3_next'", "architecture"),
    ("KeyError: 'type'", "rope"),
    ("ValueError: `rope_scaling` must be a dictionary with two fields", "rope"),
    ("ImportError: tokenizers>=0.21,<0.22 is required for a normal functioning of this module, but found tokenizers==0.22.1.", "package"),
    ("ValueError: LoRA is not supported with pipeline stages yet.", "incompatible"),
    ("ValueError: max_num_batched_tokens (512) is smaller than max_model_len (4096).", "incompatible"),
    ("ValueError: User-specified max_model_len (9000) is greater than the derived max_model_len (4096)", "context"),
    ("ValueError: VLLM_PORT 'tcp://10.0.0.3:80' appears to be a URI.", "variable"),
    ("ValueError: invalid literal for int() with base 10: 'tcp://10.0.0.3:80'", "variable"),
    ("ValueError: something else went wrong", ""),
    ("", ""),
)


@pytest.mark.parametrize(("message", "expected"), MESSAGES, ids=lambda value: value[:60])
def test_a_message_has_the_topic_that_its_words_are_about(message: str, expected: str) -> None:
    """The most telling wording decides; words that are about nothing known have no topic."""
    assert expected == topic_of(message)
