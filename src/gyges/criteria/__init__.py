"""The criteria room: when is a release safe?

One file per definition. A criterion folds groups into a small summary and judges the
summary. It changes nothing, reads no file, asks no engine, draws no chance.

Imports:      adversaries, release.groups, data, kernels, exact, arrays, errors.
Used by:      search, marginals, audit, cli, studio.
Yours:        any definition file; copy k_anonymity.py to add one.
Take care:    `Criterion` in base.py; every search calls it.
Always along: an oracle in tests/oracles/ and an entry in docs/references.bib.
"""
