"""Jobs on Azure ML and Singularity: identities, tags, tiers and sizes as people write them."""

from __future__ import annotations

import pytest

from ajkit.backends.azureml.describe import AmlOpts, SingOpts
from tests.backends.drawn import SERVICES, described, messages, options

AML = """
--- .aj/template/leaf.yaml
config:
  target: {service: aml, name: a100}
  environment: {image: "python:3.12"}
"""
SING = AML.replace("service: aml, name: a100", "service: sing")


def test_options_of_a_compute() -> None:
    assert options(
        AML.replace("a100}", "a100, workspace_name: ws, subscription_id: sub, resource_group: rg}")
        + """
  jobs:
    - identity: UserIdentity
      tags: ["project:alignment", owner=me, urgent, "time: 12:30"]
      submit_args: {container_args: {shm_size: 64g, ulimits: {memlock: -1}}}
"""
    ) == AmlOpts(
        compute="a100",
        workspace_name="ws",
        subscription_id="sub",
        resource_group="rg",
        identity="user",
        tags={"project": "alignment", "owner": "me", "urgent": "", "time": "12:30"},
        container_args={"shm_size": "64g", "ulimits": {"memlock": -1}},
        shm_size="64g",
    )


def test_options_of_a_virtual_cluster() -> None:
    assert options(
        SING.replace("sing}", "sing, name: research}")
        + """
  jobs: [{sla_tier: premium, priority: HIGH, tags: "a:b"}]
  _extra: {sing: {vc_subscription_id: other, vc_resource_group: group}}
"""
    ) == SingOpts(
        virtual_cluster="research",
        sla_tier="Premium",
        priority="High",
        tags={"a": "b"},
        vc_subscription_id="other",
        vc_resource_group="group",
    )


def test_a_virtual_cluster_may_be_named_as_amlt_does() -> None:
    assert options(SING.replace("sing}", 'sing, name: "", vc: research}')) == SingOpts(
        virtual_cluster="", vc="research"
    )


@pytest.mark.parametrize(
    ("written", "identity"),
    [("managed", "managed"), ("Managed", "managed"), ("user_identity", "user"), ("AMLToken", "token"), ("none", None)],
)
def test_an_identity_in_any_spelling(written: str, identity: str | None) -> None:
    opts = options(AML + f"  jobs: [{{identity: {written}}}]\n")
    assert isinstance(opts, AmlOpts)
    assert opts.identity == identity


def test_a_compute_and_an_image_are_needed_and_a_virtual_cluster_is_not() -> None:
    said = messages("""
--- .aj/template/leaf.yaml
config:
#@ 0-6 schema.required
  target: {service: aml, name: ""}
  #                            ^^ schema.required
""")
    assert len(said) == 2
    assert "`environment.image`" in said[0]
    assert "`target.name`" in said[1]
    assert messages(SING) == []


def test_what_azure_would_refuse_is_refused_where_it_was_written() -> None:
    said = [
        each.message
        for each in described(
            AML
            + """
  jobs:
    - identity: everybody
      #         ^^^^^^^^^ aml.option
      tags: [":x"]
      #     ^^^^^^ aml.option
      sla_tier: Basic
    # ^^^^^^^^ schema.no-effect
      submit_args: {container_args: {shm_size: "64"}}
      #                                        ^^^^ aml.option
  _extra: {aml: {compute: x}}
  #              ^^^^^^^ aml.unknown-key
"""
        )[1]
    ]
    assert "`jobs[0].identity` must be 'managed', 'user' or 'token', not 'everybody'" in said


def test_a_tier_that_amlt_would_fill_in_is_none_here() -> None:
    described(
        SING
        + """
  jobs:
    - sla_tier: ${TIER}
    #           ^^^^^^^ sing.option
"""
    )


@pytest.mark.parametrize("service", ["aml", "sing"])
def test_names(service: str) -> None:
    found = SERVICES.find(service)
    assert found
    assert found.normalize_job_name("_my.job x-0123456789") == "my-job-x-0123456789"
    assert len(found.normalize_job_name(f"{'a' * 400}-0123456789")) == 255
