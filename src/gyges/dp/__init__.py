"""The dp room: releases with noise, what they promise, and what they cost.

Noise comes from OpenDP, whose mechanisms have proofs; nothing here draws noise itself. Only
discrete mechanisms are used, and randomness comes from the operating system. The shape of a release
(the possible values of a column, the published views) is public, declared, or itself chosen with
noise.

    noisy_release.py    `publish_noisy`: a noisy release, and synthetic people
    noisy_marginals.py  counts of columns with noise: listed, or chosen by adaptive.py (one view
                        after another) or choosing.py (a tree of pairs)
    measurements.py     what was measured, at which price
    mechanisms.py       noise from OpenDP, and its price; opendp.py loads it
    universe.py         which rows a table could have, known without looking at it
    public_labels.py    the labels, coarser columns (coarser_columns.py), impossible combinations
    inference.py        from noisy counts to one consistent table, by view_fit.py
    graphical_model.py  the fitted distribution, over the tables of elimination_tree.py
    answers.py          intervals for the number of people with some labels
    accounting.py       `gy.compose`: what releases cost together
    semantics.py        `gy.semantic_privacy`: what the promise means [Ganta2008]
    published_noise.py  a noisy release as it is published and read back
    noise_certificate.py  the strict model of its certificate

Imports:      release, data, exact, arrays, errors; opendp (extra `dp`) where used.
Used by:      search.without_groups, auditing, workflow, which passes in who pays (`Payer`).
Yours:        a new way to choose views beside choosing.py.
Take care:    sensitivities in mechanisms.py; the order of paying and drawing in noisy_marginals.py.
Always along: OpenDP's own privacy map is asked for every mechanism and must not exceed the price.
"""
