"""The adversaries room: what does an attacker learn from a release?

One attacker a file: what he holds, what he does, what counts as success. An attacker gives exact
probabilities (fractions) or beliefs (floats) and a witness; whether that is too much is for the
criteria room to say.

Imports:      release, data, kernels, exact, arrays, errors.
Used by:      criteria, search, audit, cli, studio.
Yours:        a new attacker in a file of its own.
Take care:    the definition by enumeration of worlds decides, not a paper's pseudo-code.
Always along: an oracle in tests/oracles/ that enumerates.
"""
