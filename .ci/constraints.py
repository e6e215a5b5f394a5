"""Print the versions that are installed here of all that Gyges and its extras need.

    .venv/bin/python .ci/constraints.py > constraints.txt

Names and versions only: where they come from is the business of whoever installs them.
"""

from __future__ import annotations

import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from itertools import chain
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def installed(name: str, extras: frozenset[str], found: dict[str, str], seen: set[object]) -> None:
    """Add a package and what it needs, as far as it is installed."""
    name = canonicalize_name(name)
    if (name, extras) in seen:
        return
    seen.add((name, extras))
    try:
        package = distribution(name)
    except PackageNotFoundError:
        return  # for another system, or for an extra that was not asked for
    found[name] = package.version
    for text in package.requires or []:
        needed = Requirement(text)
        marker = needed.marker
        if marker is None or any(marker.evaluate({"extra": one}) for one in ("", *extras)):
            installed(needed.name, frozenset(needed.extras), found, seen)


if __name__ == "__main__":
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions: dict[str, str] = {}
    for text in [*project["dependencies"], *chain(*project["optional-dependencies"].values())]:
        needed = Requirement(text)
        installed(needed.name, frozenset(needed.extras), versions, set())
    print("# Versions that were tested together: pip install gyges -c constraints.txt")
    print("\n".join(f"{name}=={versions[name]}" for name in sorted(versions)))
