"""The dp room: releases with noise, what they promise, and what they cost.

Noise comes from OpenDP, whose mechanisms carry proofs; nothing here draws noise itself. Only
discrete mechanisms are used, and chance comes from the operating system. Whatever decides how a
release looks (which values a column may have, which views are published) is public, declared, or
itself chosen with noise.

Imports:      release.ledger, data, exact, arrays, errors; opendp and mbi (extra `dp`) where used.
Used by:      search.publish, auditing, cli, studio.
Yours:        a new way to choose views in choosing.py.
Take care:    sensitivities in mechanisms.py; the order of paying and drawing in noisy_marginals.py.
Always along: OpenDP's own privacy map is asked for every mechanism and must not exceed the price.
"""
