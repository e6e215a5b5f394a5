"""Ratios of two things run side by side, because machines are noisy.

`python -m benchmarks` runs all of them; `python -m benchmarks criteria lattice` runs some.
Each module has a function `rows()` that yields `Ratio`s.
"""
