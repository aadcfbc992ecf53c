"""Templates as people write them for amlt: made anew from a seed, with every key path of the dialect used somewhere."""

from __future__ import annotations

import random
from typing import Any

_WORDS = ("resnet", "llama", "whisper", "ablation", "pretrain", "sft", "eval", "speech", "vision", "tokens")
_SKUS = ("G8", "4xG8", "G1", "80G4-H100", "40G8-A100", "NDv2g1:G1", "G8@eastus2", "D16sv3", "${NODES}xG${GPUS}", "32G4")
_LINES = (
    "nvidia-smi",
    "export NCCL_DEBUG=INFO",
    "pip install -e . && python setup.py build_ext --inplace",
    "python train.py --config configs/base.yaml --output_dir $$AMLT_OUTPUT_DIR --token-dropout 0.1",
    "torchrun --nproc_per_node=8 --master_addr=$$MASTER_ADDR train.py --tokenizer gpt2 --max_tokens 4096",
    "python -m tools.eval --key val_loss --pad-token '<pad>' --auth none --hub-token $HF_TOKEN",
    "for f in /mnt/data/*.tar; do\n  tar xf $f -C /tmp/data\ndone\n",
    "accelerate launch --mixed_precision bf16 run.py model.name=llama data.batch=32 token=first",
    "azcopy cp 'https://store.blob.core.windows.net/data/*' /tmp/data --recursive",
    "git clone https://github.com/example/project.git && cd project",
)
_ENV: tuple[tuple[str, Any], ...] = (
    ("NCCL_DEBUG", "WARN"),
    ("TOKENIZERS_PARALLELISM", False),
    ("OMP_NUM_THREADS", 8),
    ("LEARNING_RATE", 0.0003),
    ("HF_HOME", "/mnt/data/hf"),
    ("WANDB_PROJECT", "ablation-study"),
    ("WANDB_API_KEY", "$WANDB_API_KEY"),
    ("HF_TOKEN", "<your token>"),
    ("OPENAI_API_KEY", "EMPTY"),
    ("MAX_TOKENS", 4096),
    ("EOS_TOKEN", "<|endoftext|>"),
    ("SSH_KEY_PATH", "/home/me/.ssh/id_rsa"),
    ("CACHE_KEY", "dataset-v2-2024"),
    ("GIT_COMMIT", "0123456789abcdef0123456789abcdef01234567"),
    ("RUN_ID", "3f2504e0-4f89-11d3-9a0c-0305e82c3301"),
    ("DATA_URL", "https://store.blob.core.windows.net/data/train.tar?sv=2021-08-06"),
    ("MOUNT", "$$DATA_DIR/images"),
)
_LEAKS = (("WANDB_API_KEY", "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"), ("HF_TOKEN", "hf_" + "aB3dE6gH9j" * 3))


def _maybe(pick: random.Random, chance: float, **values: Any) -> dict[str, Any]:
    return values if pick.random() < chance else {}


def _name(pick: random.Random) -> str:
    return "-".join(pick.sample(_WORDS, 2))


def _submit_args(pick: random.Random) -> dict[str, Any]:
    env = dict(pick.sample(_ENV, pick.randint(1, 6)))
    return {
        "env": env | (dict([pick.choice(_LEAKS)]) if pick.random() < 0.05 else {}),
        **_maybe(pick, 0.4, container_args={"shm_size": "64g", **_maybe(pick, 0.1, SHARED_MEMORY_PERCENT=0.5)}),
        **_maybe(pick, 0.3, max_run_duration_seconds=86400),
        **_maybe(pick, 0.05, max_attempts=3),
        **_maybe(pick, 0.05, constraints=[{"type": "node", "tag": "fast"}]),
    }


def _job(pick: random.Random, index: int) -> dict[str, Any]:
    lines = pick.sample(_LINES, pick.randint(1, 5))
    return {
        "name": f"{_name(pick)}-{index}",
        "sku": pick.choice(_SKUS),
        **_maybe(pick, 0.5, sla_tier=pick.choice(("Premium", "premium", "Standard", "basic"))),
        **_maybe(pick, 0.5, priority=pick.choice(("high", "High", "Medium", "low"))),
        **_maybe(pick, 0.3, identity=pick.choice(("managed", "user"))),
        **_maybe(pick, 0.4, process_count_per_node=pick.choice((1, 8, 0, "${PROCESSES}"))),
        **_maybe(pick, 0.4, mpi=pick.choice((True, False))),
        **_maybe(pick, 0.3, tags=["Project_Name:ablation", "purpose:research"]),
        **_maybe(pick, 0.2, execution_mode="basic"),
        **_maybe(pick, 0.1, preemptible=True),
        **_maybe(pick, 0.1, azml_int=True),
        **_maybe(pick, 0.1, sku_count=2),
        **_maybe(pick, 0.1, aml_mpirun={"process_count_per_node": 8, "communicator": "OpenMpi"}),
        **_maybe(pick, 0.6, submit_args=_submit_args(pick)),
        "command": lines if pick.random() < 0.9 else lines[0],
    }


def _search(pick: random.Random) -> dict[str, Any]:
    job = _job(pick, 0)
    return {
        "job_template": job | {"name": job["name"] if pick.random() < 0.8 else None},
        "type": "grid",
        "max_trials": pick.choice((8, "8")),
        **_maybe(pick, 0.2, parallel_trials=4),
        **_maybe(pick, 0.1, sampling="grid"),
        **_maybe(pick, 0.1, max_duration_hours=12),
        **_maybe(pick, 0.1, metrics=[{"name": "loss", "goal": "minimize"}]),
        "params": [{"name": "lr", "values": [0.1, 0.01]}, {"name": "seed", "spec": "discrete", "values": "1,2"}],
    }


def _storage(pick: random.Random) -> dict[str, Any]:
    return {
        "storage_account_name": "researchdata",
        "container_name": pick.choice(_WORDS),
        **_maybe(pick, 0.9, mount_dir="/mnt/data"),
        **_maybe(pick, 0.2, is_output=True),
        **_maybe(pick, 0.1, local_dir="/tmp/data"),
        **_maybe(pick, 0.05, mount_options=["-o", "attr_timeout=240"]),
    }


def amlt_config(seed: int) -> dict[str, Any]:
    """One config of the dialect, always the same for a seed."""
    return _config(random.Random(seed))


def _config(pick: random.Random) -> dict[str, Any]:
    jobs = pick.choices((1, 1, 1, 2, 3, 8, 40), k=1)[0]
    searching = pick.random() < 0.13
    config = {
        "description": f"{_name(pick)} on the cluster",
        "target": {
            "service": pick.choice(("sing", "sing", "aml", "aml", "amlk8s")),
            "name": pick.choice(("vc-research", "gpu-cluster")),
            **_maybe(pick, 0.5, workspace_name="research-ws"),
            **_maybe(pick, 0.1, resource_group="research-rg", subscription_id="00000000-0000-0000-0000-000000000000"),
            **_maybe(pick, 0.1, vc="research"),
            **_maybe(pick, 0.05, cluster="itp", queue="default"),
        },
        "environment": {
            "image": "amlt-sing/acpt-torch2.3-py3.10-cuda12.1",
            **_maybe(pick, 0.6, registry="docker.io"),
            **_maybe(pick, 0.4, username="research"),
            **_maybe(pick, 0.4, setup=["pip install --user -r requirements.txt", "echo $$HOME"]),
            **_maybe(pick, 0.05, image_setup=["apt-get update"]),
            **_maybe(pick, 0.05, conda_yaml_file="$CONFIG_DIR/environment.yml"),
            **_maybe(pick, 0.05, skip_conda_packages_on_sing=["cudatoolkit"]),
        },
        "code": {
            "local_dir": "$CONFIG_DIR/../",
            **_maybe(pick, 0.1, ignore=["data/", "*.ckpt"]),
            **_maybe(pick, 0.05, code_upload=True, remote_dir="code"),
        },
        **_maybe(pick, 0.8, storage={each: _storage(pick) for each in pick.sample(("data", "output", "models"), 2)}),
        **_maybe(pick, 0.3, env_defaults={"NODES": 1, "GPUS": 8, "PROCESSES": 8, "NAME": "base", "EMPTY": None}),
        **_maybe(pick, 0.05, data={"local_dir": "data", "remote_dir": "datasets", "storage_id": "data"}),
        **_maybe(
            pick, 0.02, resources={"properties": {"sidecars": {"my_web_server": {"image": "nginx", "ports": [80]}}}}
        ),
        **_maybe(pick, 0.02, job=_job(pick, 0)),
    }
    if not searching:
        return config | {"jobs": [_job(pick, index) for index in range(jobs)]}
    return config | {"search": _search(pick), **_maybe(pick, 0.2, jobs=None)}


def every_key() -> dict[str, Any]:
    """One config that uses every key of the dialect at once, so that none is unknown by accident."""
    pick = _Always(0)
    job = _job(pick, 0)
    args = {**job["submit_args"], "env": {"A": "x", "B": 1, "C": 0.5, "D": True}}
    args["container_args"] = {"shm_size": "64g", "SHARED_MEMORY_PERCENT": 0.5, "shm_size_per_gpu": 8}
    full = {**job, "submit_args": args, "command": ["x"]}
    return {
        **_config(pick),
        "jobs": [full, {**full, "command": "x"}],
        "search": {**_search(pick), "job_template": full},
        "job": full,
    }


class _Always(random.Random):
    """Chance that never says no, and always picks the first."""

    def random(self) -> float:
        return 0.0
