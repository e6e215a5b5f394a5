"""Noise needs the extra `dp`; without it only what needs no noise is tested."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore = []
if find_spec("opendp") is None:
    collect_ignore += ["test_accounting.py", "test_mechanisms.py", "test_noisy_marginals.py"]
if find_spec("opendp") is None:
    collect_ignore += ["test_forger.py", "test_inference.py", "test_release.py"]
