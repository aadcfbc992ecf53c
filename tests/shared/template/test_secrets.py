"""What counts as a secret, and how texts and values look with theirs masked."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ajkit.shared.template.secrets import (
    hold_no_secret,
    is_secret,
    known_secrets,
    mask,
    masked,
    named_secret,
    spans,
    suspects,
)

if TYPE_CHECKING:
    from ajkit.shared.where import Json

HEX40 = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"
HF = "hf_" + "aB3dE6gH9j" * 3
GITHUB = "ghp_" + "a1B2c3D4e5F6" * 3
GITHUB_FINE = "github_pat_" + "11ABCDEFG0" * 3
SAS = "https://store.blob.core.windows.net/c?sv=2022-11-02&se=2030&sig=" + "a1%2Fb2C3d4" * 4 + "%3D"
ACCOUNT = "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=" + "aB3+" * 21 + "ab=="
STORAGE_KEY = "aB3/" * 21 + "ab" + "=="
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"
PEM = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----"

SECRETS: list[tuple[str, Json]] = [
    ("WANDB_API_KEY", HEX40),
    ("WANDB_API_KEY", "abc123secret"),
    ("WANDB_KEY", HEX40),
    ("HF_TOKEN", "sometoken"),
    ("HF_TOKEN_READ", "sometoken"),
    ("HF_TOKEN_2", "sometoken"),
    ("GITHUB_PAT", "0a1b2c3d4e5f60718293a4b5"),
    ("PASSWORD", "hunter22"),
    ("DB_PASSWORD", "correct horse battery"),
    ("PASSWORD", 12345678),
    ("AZURE_CLIENT_SECRET", "abc8Q~defghij"),
    ("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ("AZURE_STORAGE_KEY", STORAGE_KEY),
    ("SAS_TOKEN", "?sv=2022&sp=r"),
    ("wandb-api-key", "0123456789abcdef"),
    ("apiKey", "s3cr3tvalue"),
    ("secretKey", "s3cr3tvalue"),
    ("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"),
    ("ANY", HF),
    ("ANY", GITHUB),
    ("ANY", GITHUB_FINE),
    ("ANY", SAS),
    ("ANY", ACCOUNT),
    ("ANY", STORAGE_KEY),
    ("ANY", JWT),
    ("ANY", PEM),
    ("ANY", "sk-proj-abcdef1234567890ABCDEF"),
    ("ANY", "glpat-abcdefghij1234567890"),
    ("ANY", "xoxb-123456789012-abcdef"),
    ("ANY", "AIza" + "Sy1a2B3c4D5" * 3 + "ab"),
    ("ANY", "wandb_v1_" + "a1b2c3d4" * 4),
    ("DATABASE_URL", "postgres://user:s3cret@db:5432/x"),
    ("GIT_REMOTE", f"https://{GITHUB}@github.com/a/b"),
]

HARMLESS: list[tuple[str, Json]] = [
    ("TOKENIZERS_PARALLELISM", "true"),
    ("TOKENIZERS_PARALLELISM", False),
    ("MAX_TOKENS", 4096),
    ("TOKEN", 50256),
    ("HF_TOKEN", 1),
    ("HF_TOKEN", None),
    ("HF_TOKEN", "$HF_TOKEN"),
    ("HF_TOKEN", "${HF_TOKEN}"),
    ("HF_TOKEN", "$$HF_TOKEN"),
    ("HF_TOKEN", "${{ secrets.HF_TOKEN }}"),
    ("HF_TOKEN", {"from_env": "HF_TOKEN"}),
    ("HF_TOKEN", "<your token>"),
    ("HF_TOKEN", "your-token-here"),
    ("HF_TOKEN", "xxxxxxxx"),
    ("HF_TOKEN", "***"),
    ("HF_TOKEN", "/run/secrets/token"),
    ("OPENAI_API_KEY", "EMPTY"),
    ("OPENAI_API_KEY", "dummy"),
    ("API_KEY", "changeme"),
    ("PAD_TOKEN", "<|endoftext|>"),
    ("EOS_TOKEN", "endoftext"),
    ("IMAGE_TOKEN", "image-token"),
    ("CACHE_KEY", "dataset-v2-2024-split1"),
    ("SORT_KEY", "abcdef0123456789"),
    ("PUBLIC_KEY", "AAAAB3NzaC1yc2EAAAADAQABAAAB"),
    ("RUN_KEY", "exp-2024-lr3e4"),
    ("SSH_KEY_PATH", "/home/me/.ssh/id_rsa"),
    ("SSH_KEY", "~/.ssh/id_rsa"),
    ("KEY_VAULT", "https://vault.example.net"),
    ("SECRET_NAME", "my-secret-name"),
    ("PASSWORD_FILE", "passwords.txt"),
    ("TOKEN_TYPE", "bearer-token"),
    ("AUTH", "managed-identity"),
    ("MONKEY", "abcdef0123456789"),
    ("COMPASS", "abcdef0123456789"),
    ("PATTERN", "abcdef0123456789"),
    ("GIT_COMMIT", HEX40),
    ("RUN_ID", "3f2504e0-4f89-11d3-9a0c-0305e82c3301"),
    ("IMAGE", "registry.example.net/team/image@sha256:" + "0123456789abcdef" * 4),
    ("SUBSCRIPTION_ID", "00000000-0000-0000-0000-000000000000"),
    ("CKPT", "/mnt/out/hf_llama_finetuned_checkpoint_step_1000"),
    ("MODEL", "task-abcdefghijklmnop1234567890"),
    ("URL", "https://store.blob.core.windows.net/data/x.tar?sv=2021-08-06"),
    ("REMOTE", "git@github.com:org/repo.git"),
    ("REMOTE", "ssh://git@github.com/org/repo.git"),
    ("PROXY", "http://proxy.example.net:8080"),
    ("MASTER", "tcp://10.0.0.1:29500"),
    ("CLONE", "https://$TOKEN@github.com/org/repo"),
    ("CLONE", "https://oauth2:${TOKEN}@github.com/org/repo"),
]


@pytest.mark.parametrize(("name", "value"), SECRETS, ids=[f"{name}={str(value)[:12]!r}" for name, value in SECRETS])
def test_secrets(name: str, value: Json) -> None:
    assert is_secret(name, value)


@pytest.mark.parametrize(("name", "value"), HARMLESS, ids=[f"{name}={str(value)[:12]!r}" for name, value in HARMLESS])
def test_harmless_values(name: str, value: Json) -> None:
    assert not is_secret(name, value)


MASKED = [
    ("export WANDB_API_KEY=abc123secret && python x.py", "export WANDB_API_KEY=*** && python x.py"),
    ("HF_TOKEN='abc def1' run", "HF_TOKEN='abc def1' run"),
    ("PASSWORD='abc def1' run", "PASSWORD='***' run"),
    ('export API_KEY="abcdef12"', 'export API_KEY="***"'),
    ("python t.py --hub-token mysecrettok --lr 1e-4", "python t.py --hub-token *** --lr 1e-4"),
    ("python t.py --api-key=mysecrettok1", "python t.py --api-key=***"),
    ("mysql --password 'hunter 22'", "mysql --password '***'"),
    (f"wandb login {HEX40}", "wandb login ***"),
    (f"wandb login --relogin {HEX40}", "wandb login --relogin ***"),
    ("docker login -u me -p hunter22 reg", "docker login -u me -p *** reg"),
    ("sshpass -p hunter22 ssh host", "sshpass -p *** ssh host"),
    ("curl -H 'Authorization: Bearer abcdef0123456789abcd'", "curl -H 'Authorization: Bearer ***'"),
    ("curl -H 'Authorization: Bearer abc123' x", "curl -H 'Authorization: Bearer ***' x"),
    ('curl -H "authorization: token abcdef" x', 'curl -H "authorization: token ***" x'),
    ("curl 'https://h/c?sv=1&sig=aB%2Fc12&se=2'", "curl 'https://h/c?sv=1&sig=***&se=2'"),
    ("git clone https://me:pw1234@host/x", "git clone https://me:***@host/x"),
    (
        f"azcopy cp '{SAS}&sp=r' .",
        "azcopy cp 'https://store.blob.core.windows.net/c?sv=2022-11-02&se=2030&sig=***&sp=r' .",
    ),
    (f"az --connection-string '{ACCOUNT}'", None),
    (f"echo {HF} {GITHUB}", "echo *** ***"),
    (f"key: |\n{PEM}\n", "key: |\n***\n"),
    ('{"WANDB_API_KEY": "abc123secret", "LR": 1}', '{"WANDB_API_KEY": "***", "LR": 1}'),
    ('"command": "export HF_TOKEN=\\"abc123def\\"\\n"', '"command": "export HF_TOKEN=\\"***\\"\\n"'),
    ("env:\n  PASSWORD: hunter22 # mine\n  LR: 0.1", "env:\n  PASSWORD: *** # mine\n  LR: 0.1"),
    ("- password: 'hunter22'", "- password: '***'"),
    ("{PASSWORD: hunter22, LR: 1}", "{PASSWORD: ***, LR: 1}"),
    ("PASSWORD: 12345678", "PASSWORD: ***"),
    ("--env HF_TOKEN=abcdefgh", "--env HF_TOKEN=***"),
    ("--set jobs[0].submit_args.env.HF_TOKEN=abcdefgh", "--set jobs[0].submit_args.env.HF_TOKEN=***"),
]

UNMASKED = [
    "python t.py --tokenizer gpt2 --max_tokens 4096 --pad-token '<pad>' --key val_loss",
    "python t.py --hub-token $HF_TOKEN --password ${PASSWORD} --api-key /run/key",
    "export HF_TOKEN=$(cat /run/token) API_KEY=$API_KEY",
    "model(token=tokenizer, key=name)",
    "SyntaxError: unexpected token: identifier",
    "use --token TOKEN or --use_auth_token True",
    "step 100 loss_per_token: 0.123456 tokens: 4096",
    "[rank0]: File '/opt/conda/lib/python3.11/secrets.py', line 12, in token_hex",
    "tokenizer_config.json: 100%|██████████| 1.29k/1.29k",
    "HF_TOKEN: {from_env: HF_TOKEN}",
    "curl -H 'Authorization: Bearer YOUR_TOKEN' -H \"Authorization: Bearer $TOKEN\" 'https://h/c?sig=SIGNATURE&x=1'",
    "plot --sig=0.05 sig=gaussian",
    f"commit {HEX40}",
    'if [ "$a" == "b" ]; then ssh -i ~/.ssh/key git@host; fi',
]


@pytest.mark.parametrize(("text", "shown"), MASKED, ids=[text[:30] for text, _ in MASKED])
def test_texts_are_masked(text: str, shown: str | None) -> None:
    assert mask(text) != text or shown == text
    assert shown is None or mask(text) == shown
    assert mask(mask(text)) == mask(text)


@pytest.mark.parametrize("text", UNMASKED, ids=[text[:30] for text in UNMASKED])
def test_harmless_texts_are_left_alone(text: str) -> None:
    assert mask(text) == text


def test_known_secrets_are_masked_wherever_they_stand() -> None:
    assert mask("echo hunter22 hunter2", known=["hunter2", "hunter22"]) == "echo *** ***"


def test_values_are_masked_by_name_and_by_form() -> None:
    spec: Json = {
        "name": "train",
        "command": f"login {HF}\necho abc123secret\n",
        "env": {
            "WANDB_API_KEY": "abc123secret",
            "HF_TOKEN": {"from_env": "HF_TOKEN"},
            "GH_TOKEN": "$GH_TOKEN",
            "PASSWORD": 12345678,
            "LR": 0.1,
        },
        "setup": ["export PASSWORD=hunter22", "pip install x"],
        "nodes": 2,
        "template": None,
    }
    before = json.dumps(spec)
    assert masked(spec) == {
        "name": "train",
        "command": "login ***\necho ***\n",
        "env": {
            "WANDB_API_KEY": "***",
            "HF_TOKEN": {"from_env": "HF_TOKEN"},
            "GH_TOKEN": "$GH_TOKEN",
            "PASSWORD": "***",
            "LR": 0.1,
        },
        "setup": ["export PASSWORD=***", "pip install x"],
        "nodes": 2,
        "template": None,
    }
    assert json.dumps(spec) == before
    assert masked(masked(spec)) == masked(spec)
    assert known_secrets(spec) == {HF, "abc123secret", "12345678", "hunter22"}


def test_a_single_value_is_masked_by_its_key() -> None:
    assert masked("abc123secret", "WANDB_API_KEY") == "***"
    assert masked("abc123secret", "LR") == "abc123secret"
    assert masked("abc123secret") == "abc123secret"


def test_a_quick_look_misses_nothing() -> None:
    texts = [text for text, _ in MASKED] + UNMASKED
    assert {index for index, text in enumerate(texts) if spans(text)} <= set(suspects(texts))
    names = [name for name, value in SECRETS if named_secret(name, value)]
    assert suspects(names) == list(range(len(names)))
    assert suspects([]) == []
    assert not any(hold_no_secret("", text) for text in texts if spans(text))
    assert not any(hold_no_secret(name, "") for name in names)
    assert hold_no_secret("LR\nMAX_TOKENS", "python train.py --max-tokens 5")


WORDS = st.sampled_from(
    [
        "HF_TOKEN",
        "PASSWORD",
        "=",
        ": ",
        " ",
        "'",
        '"',
        "\\",
        "\n",
        "--",
        "sig=",
        "://",
        "@",
        "***",
        "$",
        "{",
        "}",
        ",",
        "abc123",
        HF,
        HEX40,
    ]
)


@given(st.lists(WORDS, max_size=12).map("".join) | st.text())
def test_masking_twice_changes_nothing(text: str) -> None:
    once = mask(text)
    assert mask(once) == once
    assert HF not in once


@pytest.mark.parametrize(
    "part",
    [
        "-a",
        "a-",
        "sk-",
        "://",
        "key: " + " " * 50,
        "token=",
        "token[",
        "token.",
        "{",
        ", ",
        "docker login ",
        "eyJ",
        "=" * 9,
        "://a:",
        "-----BEGIN PRIVATE KEY-----",
    ],
)
def test_long_texts_take_time_in_proportion(part: str) -> None:
    began = time.process_time()
    mask(part * (100_000 // len(part)))
    assert time.process_time() - began < 2
