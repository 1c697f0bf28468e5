"""Secrets of every kind, planted in the command, the environment, the log and a configuration file of one run, are nowhere in what it leaves."""

import json
import os
import subprocess
from pathlib import Path

from tests.running import PROGRAM

# Every value is made up; what precedes it is how such a thing stands in a log, a header or a file.
PLANTED = {
    "OpenAI key": ("key sk-proj-%s", "Zq3Jt8Vb1Nx5Lw7Rk2Hd"),
    "Hugging Face token": ("%s refused", "hf_QwErTyUiOpAsDfGhJkLzXc"),
    "AWS key id": ("using %s", "AKIAQ7ZLMN3PRSTUVWX2"),
    "AWS secret": ("aws_secret_access_key = %s", "wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzKEYQ9"),
    "Google key": ("?key=%s", "AIzaSyB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uVwX"),
    "Azure key": ("AZURE_API_KEY=%s", "c0ffee11c0ffee22c0ffee33c0ffee44"),
    "bearer": ("Authorization: Bearer %s", "bear.er-7f3a9c1d5e"),
    "basic": ("authorization: Basic %s", "dXNlcjpzM2NyM3RwYXNz"),
    "URL password": ("https://proxy:%s@gateway/x", "urlPa55word77"),
    "database URL": ("postgresql://llm:%s@db:5432/llm", "dbPa55word88"),
    "redis URL": ("redis://:%s@cache:6379", "redisPa55w99"),
    "JWT": ("token %s", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJlLW9mLW5vYm9keQ"),
    "private key": ("-----BEGIN RSA PRIVATE KEY-----\n%s\n-----END RSA PRIVATE KEY-----", "MIIEowIBAAKCAQEAplantedplantedplanted"),
    "GitHub token": ("clone with %s", "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6"),
    "GitLab token": ("clone with %s", "glpat-Xy12Zw34Vu56Ts78Rq90"),
    "Slack token": ("hook %s", "xoxb-111122223333-AbCdEfGhIjKl"),
    "password in YAML": ("db_password: '%s'", "yamlPa55word11"),
    "API key of an option": ("--api-key %s", "optionKey-4455-6677"),
    "master key": ("master_key: %s", "sk-master-5566778899"),
    "NGC key": ("%s", "nvapi-Aa11Bb22Cc33Dd44Ee55"),
}
ERROR = "vllm serve: error: argument --speculative-config/-sc: Value {method: cannot be converted to <function loads at 0x7f0000000000>.\n"
LINE = 'bash -c \'vllm serve m --speculative-config {"method": "ngram", "n": 2}%s\''


def said(folder: Path, *arguments: str, environment: dict[str, str] | None = None) -> bytes:
    """Everything that nostart prints, on both streams."""
    variables = {**os.environ, "NO_COLOR": "1", **(environment or {})}
    done = subprocess.run([PROGRAM, *arguments], cwd=folder, env=variables, capture_output=True)
    assert done.returncode in (0, 10, 11), done.stderr.decode()
    return done.stdout + b"\n" + done.stderr


def verdict(folder: Path, name: str, log: str, extra: str, environment: dict[str, str]) -> tuple[object, bytes]:
    """The ranking of a triage of `log`, and all that it and its reports say."""
    (folder / f"{name}.log").write_text(log)
    line = ("--json", "--transcripts", name, "--log", f"{name}.log", "--exit-status", "2", "--shell", LINE % extra)
    told = said(folder, "triage", *line, environment=environment)
    document = json.JSONDecoder().raw_decode(told.decode())[0]
    told += said(folder, "report", document["transcript"]) + said(folder, "report", document["transcript"], "--html", f"{name}/page.html")
    return (document["outcome"], document["ranking"]), told


def test_no_secret_is_left_anywhere(tmp_path: Path) -> None:
    """Not in transcript, blobs, JSON, console, report or page; and the verdict is that of the same run without any."""
    planted = "".join(f"INFO {form % secret}\n" for form, secret in PLANTED.values())
    password = PLANTED["URL password"][1]
    extra = f" --api-key {PLANTED['API key of an option'][1]} --download-dir https://u:{password}@host/x"
    environment = {f"PLANTED_{place}_API_KEY": secret for place, (_, secret) in enumerate(PLANTED.values()) if "\n" not in secret}
    plain, _ = verdict(tmp_path, "plain", ERROR, " --api-key none --download-dir https://u@host/x", {})
    hidden, told = verdict(tmp_path, "hidden", planted + ERROR, extra, environment)
    left = told + b"".join(file.read_bytes() for file in (tmp_path / "hidden").rglob("*") if file.is_file())
    assert [] == [kind for kind, (_, secret) in PLANTED.items() if secret.encode() in left]
    assert plain == hidden


def test_no_secret_of_a_configuration_file_is_left(tmp_path: Path) -> None:
    """The same for the keys and passwords of a proxy's configuration, which the checks read."""
    secrets = {kind: PLANTED[kind][1] for kind in ("master key", "database URL", "Azure key", "password in YAML", "Hugging Face token")}
    (tmp_path / "proxy.yaml").write_text(
        "model_list:\n  - model_name: a\n    litellm_params:\n      model: azure/x\n"
        f"      api_key: {secrets['Azure key']}\n      hf_token: {secrets['Hugging Face token']}\n"
        f"general_settings:\n  master_key: {secrets['master key']}\n"
        f"  database_url: postgresql://llm:{secrets['database URL']}@db/llm\n  smtp_password: '{secrets['password in YAML']}'\n"
    )
    told = said(tmp_path, "check", "--json", "--transcripts", "runs", "--", "litellm", "--config", "proxy.yaml")
    left = told + b"".join(file.read_bytes() for file in (tmp_path / "runs").rglob("*") if file.is_file())
    assert b"model_list" in left or b"config-file" in left
    assert [] == [kind for kind, secret in secrets.items() if secret.encode() in left]
