"""The auditing room: all that any attacker gains from one release, put together.

Its name is not `audit`, because that is the public function.

    audit.py             `gy.audit`: every attacker, asked about one release
    verify.py            `gy.verify`: every claim recomputed; checks.py: one claim and its finding
    against_original.py  claims that only the original table can show
    classical.py         re-identification, and what the classical criteria bound
    shown.py             what each published row shows, and how many rows look alike in it
    prior_knowledge.py   attackers who know how the value depends on the rest [Li2009]
    other_releases.py    a release joined with others about the same people [Ganta2008]
    population.py        risks against a table of the population; presence.py: δ-presence
    small_tables.py      views that are read together, and noisy releases: what they tell
    views.py, noise.py   the same checked from their files; noise_price.py: what the noise costs
    tradeoff.py          risk against utility, for smaller and larger groups

Imports:      search, marginals, dp, criteria, utility, adversaries, release, engines, data.
Used by:      report, workflow, cli, studio, papers.
Yours:        a new attacker's section in audit.py.
Take care:    an auditor holds only the release: nothing here may need the original silently.
Always along: a release with one thing changed, and a test that it is caught.
"""
