"""Secrets never stay in a text, and what is no secret is left alone."""

import tomllib
from pathlib import Path

import pytest

from transcripts.redact import Vault, names_secret

DATA = tomllib.loads((Path(__file__).parent / "redact.toml").read_text())


@pytest.mark.parametrize("planted", DATA["secret"], ids=lambda planted: planted["about"])
def test_planted_secret_is_hidden(planted: dict[str, str]) -> None:
    """A secret of a known form, or behind a name that says so, is replaced wherever it stands."""
    hidden = Vault().hide(planted["text"])

    assert planted["secret"] not in hidden
    assert "$" in hidden


@pytest.mark.parametrize("text", DATA["plain"]["texts"])
def test_plain_text_is_left_alone(text: str) -> None:
    """What only resembles a secret is not touched: a hidden number or path would make a diagnosis wrong."""
    assert text == Vault().hide(text)


@pytest.mark.parametrize("argv", DATA["plain"]["argvs"], ids=" ".join)
def test_plain_options_are_left_alone(argv: list[str]) -> None:
    """Options that end like a secret's name and hold none teach the vault nothing."""
    vault = Vault()
    vault.learn_argv(argv)

    assert () == vault.names


@pytest.mark.parametrize("case", DATA["argv"], ids=lambda case: case["about"])
def test_argv_secrets_are_learnt(case: dict[str, list[str]]) -> None:
    """The value of an option whose name says so is a secret, however it is attached, in a shell text too."""
    vault = Vault()
    vault.learn_argv(case["words"])

    assert case["hidden"] == [vault.hide(word) for word in case["words"]]


@pytest.mark.parametrize("name", DATA["names"]["secret"])
def test_secret_names(name: str) -> None:
    """A variable or option of this name holds a secret."""
    assert names_secret(name)


@pytest.mark.parametrize("name", DATA["names"]["plain"])
def test_plain_names(name: str) -> None:
    """A variable or option of this name holds none."""
    assert not names_secret(name)


def test_reveal_is_the_inverse_of_hide() -> None:
    """The target gets back exactly the text that was hidden, also where one secret is the beginning of another."""
    vault = Vault()
    vault.learn("API_KEY", "abcdefgh")
    vault.learn("API_KEY", "abcdefgh-and-more")
    text = "one abcdefgh two abcdefgh-and-more"

    assert "one $API_KEY two $API_KEY_2" == vault.hide(text)
    assert text == vault.reveal(vault.hide(text))


def test_a_variable_that_the_launch_names_itself_keeps_its_name() -> None:
    """`$HF_TOKEN` typed in a launch is a shell variable, so the secret of that name is called differently."""
    vault = Vault()
    vault.reserve("serve --hf-token $HF_TOKEN")
    vault.learn_environment({"HF_TOKEN": "a-secret-value"})

    assert "$HF_TOKEN $HF_TOKEN_2" == vault.hide("$HF_TOKEN a-secret-value")
    assert "$HF_TOKEN" == vault.reveal("$HF_TOKEN")


def test_short_secret_is_hidden_only_where_it_stands_alone() -> None:
    """A key of four digits is hidden as a word, and does not tear a path or a port apart."""
    vault = Vault()
    vault.learn_environment({"SERVICE_PASSWORD": "1234"})

    assert "$SERVICE_PASSWORD /srv/1234/x 12345" == vault.hide("1234 /srv/1234/x 12345")


def test_environment_of_a_launch_is_hidden_by_name() -> None:
    """A value is hidden when the variable that holds it is called like a secret, whatever it looks like."""
    assert {"env": {"MY_TOKEN": "$MY_TOKEN", "PORT": "8000"}} == Vault().hide_all({"env": {"MY_TOKEN": "plainlooking", "PORT": "8000"}})


def test_one_variable_of_an_environment_hides_no_other() -> None:
    """In a NUL-separated environment a secret ends with its own variable: what follows stays readable."""
    hidden = Vault().hide("PWD=/srv/models\0DB_PASSWORD=hunter22hunter\0DATABASE_URL=postgres://a:secretpw@db/x\0HF_HOME=/cache\0")

    assert "PWD=/srv/models\0DB_PASSWORD=$SECRET\0DATABASE_URL=postgres://a:$URL_PASSWORD@db/x\0HF_HOME=/cache\0" == hidden
