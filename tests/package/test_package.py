"""Wheel and sdist: built, installed into a clean environment, and used there."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]


def run(*command, cwd=ROOT):
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The wheel and the sdist, the wheel made from the sdist as pip does it."""
    folder = tmp_path_factory.mktemp("built")
    reach = subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "hatchling", "-d", folder],
        capture_output=True,
        check=False,
    )
    if reach.returncode:
        pytest.skip("no package index can be reached")
    run(sys.executable, "-m", "build", "--outdir", folder / "dist", ROOT)
    (wheel,), (sdist,) = (folder / "dist").glob("*.whl"), (folder / "dist").glob("*.tar.gz")
    return wheel, sdist


@pytest.mark.long
def test_the_wheel_holds_the_package_and_nothing_else(built):
    wheel, sdist = built
    names = zipfile.ZipFile(wheel).namelist()
    source = {
        str(path.relative_to(ROOT / "src"))
        for path in (ROOT / "src").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in names if ".dist-info/" not in name} == source
    assert "gyges/py.typed" in names
    with tarfile.open(sdist) as archive:
        inside = archive.getnames()
    assert not [name for name in inside if name.endswith((".pyc", ".nbi", ".sqlite"))]


def oldest_versions():
    """The oldest version that the project allows, of everything that it asks for itself."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["sign"]]
    least = {
        needed.name: one.version
        for needed in map(Requirement, wanted)
        for one in needed.specifier
        if one.operator == ">="
    }
    assert len(least) == len(wanted), "each dependency states its oldest version"
    return "".join(f"{name}=={version}\n" for name, version in least.items())


@pytest.mark.long
@pytest.mark.parametrize(
    ("which", "versions"), [("wheel", "tested"), ("sdist", "tested"), ("wheel", "oldest")]
)
def test_it_installs_into_a_clean_environment_and_publishes_there(built, which, versions, tmp_path):
    """With the versions of constraints.txt, and with the oldest; outside of the checkout."""
    run(sys.executable, "-m", "venv", tmp_path / "env")
    bin, file = tmp_path / "env" / "bin", built[which == "sdist"]
    (tmp_path / "oldest.txt").write_text(oldest_versions())
    listed = ROOT / "constraints.txt" if versions == "tested" else tmp_path / "oldest.txt"
    run(bin / "python", "-m", "pip", "install", "-q", f"gyges[sign] @ file://{file}", "-c", listed)
    assert run(bin / "gyges", "--version", cwd=tmp_path).split()[1] in file.name
    assert "WHAT IS PROMISED" in run(bin / "gyges", "demo", cwd=tmp_path)
    published = tmp_path / "gyges-demo" / "published"
    assert "checks passed" in run(bin / "gyges", "verify", published, cwd=tmp_path)
    run(bin / "python", "-m", "pip", "check")


def test_the_tested_versions_are_versions_that_the_project_allows():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if line[0] != "#"]
    tested = dict(line.split("==") for line in lines)
    assert len(tested) == len(lines) and [*tested] == sorted(tested)
    for text in project["dependencies"]:
        needed = Requirement(text)
        assert needed.specifier.contains(tested[needed.name.lower().replace("_", "-")]), text
    assert not any("/" in line or "@" in line for line in lines), "no hosts"
