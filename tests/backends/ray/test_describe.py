"""Jobs on Ray: the address of the Jobs API, and what belongs to the runtime environment."""

from __future__ import annotations

import pytest

from ajkit.backends.ray.describe import RayOpts
from tests.backends.drawn import described, messages, options

LEAF = """
--- .aj/template/leaf.yaml
config:
  target: {service: ray, cpus_per_node: "0.5"}
"""


def test_options() -> None:
    assert options(
        LEAF
        + """
  _extra:
    ray:
      address: https://head.example:8265/
      runtime_env: {pip: [torch==2.4.0], config: {setup_timeout_seconds: 600}}
"""
    ) == RayOpts(
        address="https://head.example:8265",
        runtime_env={"pip": ["torch==2.4.0"], "config": {"setup_timeout_seconds": 600}},
        cpus_per_node=0.5,
    )


def test_what_the_jobspec_has_a_place_for_is_refused_in_the_runtime_environment() -> None:
    said = messages(
        LEAF
        + """
  _extra:
    ray:
      runtime_env:
        working_dir: .
      # ^^^^^^^^^^^ ray.runtime-env
        env_vars: {A: b}
      # ^^^^^^^^ ray.runtime-env
"""
    )
    assert "set `code.local_dir`" in said[0]
    assert "set `jobs[0].submit_args.env`" in said[1]


@pytest.mark.parametrize("address", ["ray://head:10001", "head:8265", "http://", "http://user@head:8265", "http://a/b"])
def test_what_is_no_jobs_api(address: str) -> None:
    (said,) = messages(
        LEAF
        + f"""
  _extra:
    ray:
      address: "{address}"
      #        {"^" * (len(address) + 2)} ray.address
"""
    )
    assert "write it like http://head:8265" in said
    assert "user" not in said, "a password would show"


@pytest.mark.parametrize("cpus", ["0", "-1", "many", ".inf", "true"])
def test_what_is_no_number_of_cpus(cpus: str) -> None:
    described(f"""
--- .aj/template/leaf.yaml
config:
  target:
    service: ray
    cpus_per_node: "{cpus}"
    #              {"^" * (len(cpus) + 2)} ray.option
""")


def test_what_ray_cannot_give_is_said() -> None:
    described(
        LEAF
        + """
  environment:
    image: "python:3.12"
  # ^^^^^ schema.no-effect
  storage:
# ^^^^^^^ schema.no-effect
    data: {mount_dir: /mnt/data}
"""
    )
