"""The auditing room: all that any attacker gains from one release, put together.

Its name is not `audit`, because that is the public function.

    audit.py             `gy.audit`: every attacker, asked about one release
    forms.py             FORMS, a line a form; `gy.load`, and the one way in which all are verified
    form_of_release.py   what a form says of itself: how it is read, checked and audited
    form_groups.py       groups; form_views.py: views that are read together;
    form_noise.py        tables with noise; noise_price.py: what the noise costs
    checks.py            one claim and what was found of it; claims.py: a rule judged again
    notes.py             what audits say besides their figures
    against_original.py  claims that only the original table can show
    classical.py         re-identification, and what the classical criteria bound
    people_source.py     tables of people who are looked up in a release
    column_roles.py      guesses what columns are; column_names.py: what their names say
    shown.py             what each published row shows, and how many rows look alike in it
    prior_knowledge.py   attackers who know how the value depends on the rest [Li2009]
    other_releases.py    a release joined with others about the same people [Ganta2008]
    population.py        risks against a table of the population; presence.py: δ-presence
    tradeoff.py          risk against utility, for smaller and larger groups

Imports:      search, marginals, dp, criteria, utility, adversaries, release, engines, data.
Used by:      report, workflow, cli, studio.
Yours:        a new attacker's section in audit.py; a form in its own file, and one line in FORMS.
Take care:    an auditor holds only the release: nothing here may need the original silently.
Always along: a release with one thing changed, and a test that it is caught.
"""
