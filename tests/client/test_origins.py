"""Where the fields of a job came from, as it travels with the job."""

from __future__ import annotations

from ajkit.client.origins import origins_of
from ajkit.shared.contract import ORIGIN_TEXT
from tests.daemons import Host, host
from tests.shared.job.asking import ask
from tests.shared.job.test_trails import FILES

__all__ = ["host"]


def test_every_field_with_a_value_is_told_of() -> None:
    found = {each.field: each for each in origins_of(ask(FILES, nodes=4))}
    assert found["nodes"].made == "-n 4"
    assert found["nodes"].over == [
        "jobs[0].instance_count = 2 at .aj/template/leaf.yaml:4",
        "1 at .aj/template/low.yaml:5",
    ]
    assert found["env.LR"].made == 'jobs[0].submit_args.env.LR = "1.10" at .aj/template/leaf.yaml:8'
    assert {"name", "command", "code.dir", "env.AJ_NODES", "template_name"} <= set(found)
    assert not {"env", "code", "time_limit_seconds", "backend_spec", "template"} & set(found)


def test_no_secret_and_nothing_too_long() -> None:
    files = {**FILES, "template/leaf.yaml": FILES["template/leaf.yaml"].replace("LR: 1.10", f"LR: {'x' * 5000}")}
    found = {each.field: each for each in origins_of(ask(files, nodes=4))}
    assert "abcdef123456" not in str(found)
    assert "***" in found["env.HF_TOKEN"].made
    assert len(found["env.LR"].made) == ORIGIN_TEXT


def test_they_are_shown_with_the_job(host: Host) -> None:
    plan = ask({**FILES, "template/leaf.yaml": FILES["template/leaf.yaml"].replace("mine", "'true'")}, nodes=1)
    spec = plan.require()
    daemon = host.daemon()
    daemon.submit(spec, host.code, origins=origins_of(plan))
    assert daemon.job(spec.sid).origins == origins_of(plan)
