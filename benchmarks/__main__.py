"""Run the benchmarks named on the command line, or all of them, and print ratios."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks


def main() -> None:
    known = [
        module.name
        for module in pkgutil.iter_modules(benchmarks.__path__)
        if module.name not in ("__main__", "ratio")
    ]
    for name in sys.argv[1:] or known:
        if name not in known:
            sys.exit(f"there is no benchmark {name!r}; there are: {', '.join(known)}")
        print(f"— {name}")
        for row in importlib.import_module(f"benchmarks.{name}").rows():
            print(row, flush=True)


if __name__ == "__main__":
    main()
