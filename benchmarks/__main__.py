"""Run the benchmarks named on the command line, or all of them, and print ratios."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks

KNOWN = [
    module.name
    for module in pkgutil.iter_modules(benchmarks.__path__)
    if module.name not in ("__main__", "ratio")
]


def main() -> None:
    for name in sys.argv[1:] or KNOWN:
        if name not in KNOWN:
            sys.exit(f"there is no benchmark {name!r}; there are: {', '.join(KNOWN)}")
        print(f"— {name}")
        for row in importlib.import_module(f"benchmarks.{name}").rows():
            print(row, flush=True)


if __name__ == "__main__":
    main()
