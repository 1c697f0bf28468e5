"""What values the options of a release take, by the form that the value had in it."""

import pytest

from probes.atlas.converters import refusal
from probes.atlas.history import table_for
from probes.atlas.questions import pairs_until, value_form


@pytest.mark.parametrize(
    ("release", "value", "refused"),
    [
        ("0.8.4", "image=4", ""),
        ("0.8.4", "image=4, video=1", ""),
        ("0.8.4", '{"image": 4}', "invalid-value"),
        ("0.8.4", "image=many", "invalid-value"),
        ("0.8.5", "image=4", ""),
        ("0.8.5", '{"image": 4}', ""),
        ("0.9.2", "image=4", ""),
        ("0.9.2", "image", "invalid-value"),
        ("0.9.2", "{image: 4}", "converter-refused"),
        ("0.10.0", "image=4", "converter-refused"),
        ("0.10.0", '{"image": 4}', ""),
        ("0.33.0", "image=4", "converter-refused"),
    ],
)
def test_pairs_and_json(release: str, value: str, refused: str) -> None:
    """``KEY=NUMBER`` pairs alone up to 0.8.4, pairs and JSON up to 0.9.2, JSON alone since 0.10.0: as the sources of these releases convert it."""
    table = table_for("vllm", release)
    assert table is not None
    flag = table.find("--limit-mm-per-prompt")
    assert flag is not None
    said = refusal(flag, value, table)
    assert refused == (said.kind if said else "")


def test_the_form_of_the_pairs_is_told() -> None:
    """The form of each era, since when, and until when the older one went beside it."""
    forms = {release: value_form("vllm", "--limit-mm-per-prompt", release) for release in ("0.8.4", "0.9.0", "0.33.0")}
    assert [
        ("KEY=NUMBER, separated by commas", "0.5.5"),
        ("JSON, or KEY=NUMBER pairs separated by commas", "0.8.5"),
        ("JSON", "0.8.5"),
    ] == [(form.form, form.since) for form in forms.values() if form]
    assert "0.9.2" == pairs_until("vllm", "--limit-mm-per-prompt")
