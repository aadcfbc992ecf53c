"""Which services are found, how lazily, and what becomes of plug-ins that cannot be used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ajkit.backends import registry as module
from ajkit.backends.registry import FOLDERS, Guarded, built_in, registry
from ajkit.shared.job.describe import describe
from ajkit.shared.problem import Severity
from ajkit.shared.template.model import typed
from tests.backends.installed import BROKEN, SAMPLE, on_path

BUILT_IN = ("aml", "amlt", "local", "ray", "sing", "slurm", "volcano")


def test_the_built_in_services_are_known() -> None:
    assert registry().built_in == BUILT_IN
    assert registry().names() == ("aml", "local", "ray", "sing", "slurm", "volcano")
    assert registry().problems == ()


def test_every_folder_registers_what_the_table_says() -> None:
    folders = {each.parent.name for each in Path(module.__file__).parent.glob("*/describe.py")}
    assert folders == {"amlt", "azureml", "local", "ray", "slurm", "volcano"}
    for folder in folders:
        described = sys.modules.get(f"ajkit.backends.{folder}.describe") or __import__(
            f"ajkit.backends.{folder}.describe", fromlist=["SERVICES"]
        )
        assert tuple(each.name for each in described.SERVICES) == FOLDERS.get(folder, (folder,))
    assert tuple(sorted(built_in())) == BUILT_IN


@pytest.mark.parametrize("name", BUILT_IN)
def test_one_service_is_loaded_without_the_others_and_without_looking_for_plug_ins(name: str) -> None:
    script = """if True:
        import sys
        from ajkit.backends.registry import registry
        services = registry()
        assert not [each for each in sys.modules if each.endswith(".describe") and "backends" in each]
        assert services.built_in
        assert services.find(sys.argv[1].upper()).name == sys.argv[1]
        ours = [each for each in sys.modules if each.startswith("ajkit.backends.")]
        print(*(each for each in ours if each.endswith((".describe", ".execute"))))
    """
    done = subprocess.run([sys.executable, "-c", script, name], capture_output=True, text=True, check=False)
    folder = next((each for each, names in FOLDERS.items() if name in names), name)
    assert (done.stdout.split(), done.stderr) == ([f"ajkit.backends.{folder}.describe"], "")


def test_plug_ins_are_not_looked_for_while_names_are_built_in(monkeypatch: pytest.MonkeyPatch) -> None:
    def looked() -> None:
        raise AssertionError("looked for plug-ins")

    monkeypatch.setattr(module, "plugins", looked)
    services = registry()
    for name in (*BUILT_IN, "Singularity", "AMLT"):
        assert services.find(name)
    assert services.chosen_by("--amlt")


def test_aliases_flags_and_carried_names() -> None:
    services = registry()
    sing, amlt = services.find("singularity"), services.chosen_by("--amlt")
    assert sing
    assert sing.name == "sing"
    assert amlt
    assert amlt.name == "amlt"
    assert services.chosen_by("--nothing") is None
    for name in ("amlk8s", "Manifold", "aisc"):
        assert services.find(name) is None
        assert services.carrier(name) is amlt
    assert services.find("nothing") is None
    assert services.carrier("nothing") is None


def test_a_plug_in_is_found_by_name_and_alias() -> None:
    with on_path(SAMPLE) as services:
        bench = services.find("bench")
        assert bench
        assert services.find("WorkBench") is bench
        assert "bench" in services.names()
        assert services.extra_fields()["target", "rack"] == ("bench",)
        assert services.problems == ()
    assert registry().find("bench") is None


def test_broken_plug_ins_are_reported_and_skipped() -> None:
    with on_path(BROKEN, SAMPLE) as services:
        names = services.names()
    assert names == ("aml", "bench", "local", "raises", "ray", "sing", "slurm", "volcano")
    told = [each.message for each in services.problems]
    assert {each.code for each in services.problems} == {"plugin.broken"}
    assert {each.severity for each in services.problems} == {Severity.WARNING}
    expected = {
        "absent": "ModuleNotFoundError: No module named 'aj_broken_absent'",
        "exits": "SystemExit: exits needs a licence",
        "half": "it has no aliases, any_sku, build_spec_backend",
        "local": "another service has that name",
        "misnamed": "it calls itself `local`",
        "plain": "its options are no ajkit.shared.spec.BackendOptions",
        "sourceless": "SourcelessOpts.queue does not say where it comes from",
    }
    assert len(told) == len(expected)
    for (name, why), message in zip(expected.items(), told, strict=True):
        assert f"`{name}`" in message
        assert why in message
    assert "the package aj-broken 0.3" in told[0]
    local = services.find("local")
    assert local
    assert local.summary != "Not the real one."


def test_a_plug_in_that_raises_brings_nothing_down() -> None:
    with on_path(BROKEN) as services:
        raises = services.find("raises")
    assert isinstance(raises, Guarded)
    described = describe(raises, typed({"target": {"service": "raises"}}))
    assert described.options is None
    assert described.shape is None
    codes = {(each.code, each.severity, each.path) for each in described.findings}
    assert codes == {("plugin.broken", Severity.ERROR, ("target", "service"))}
    hooks = [
        hook for hook in ("build", "shape", "requires", "ignores") if f"KeyError: '{hook}'" in str(described.findings)
    ]
    assert hooks == ["build", "shape", "requires", "ignores"]
    with pytest.raises(ValueError, match="failed in normalize_job_name: KeyError"):
        raises.normalize_job_name("x-0123456789")
    assert raises.load_spec_backend({}) == raises.options()
