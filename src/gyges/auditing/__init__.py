"""The auditing room: all that any attacker learns from one release, put together.

Its name is not `audit`, because that is the public function.

    audit.py             `gy.audit`: every attacker, asked about one release
    finding.py           what an attacker answers with, and what the auditor gives them
    attackers.py         ATTACKERS, a line an attacker; rendering.py: findings as text and as a card
    forms.py             FORMS, a line a form; `gy.load`, and the one way in which all are verified
    form_of_release.py   what a form says of itself: how it is read, checked and described
    form_groups.py       groups; form_views.py: views that are read together;
    form_noise.py        tables with noise; noise_price.py: what the noise costs
    checks.py            one claim and what was found of it; claims.py: a rule judged again
    notes.py             what audits say besides their findings
    against_original.py  claims that only the original table can show
    people_source.py     tables of people who are looked up in a release
    column_roles.py      guesses what columns are; column_names.py: what their names say
    shown.py             what each published row shows, and how many rows look alike in it
    classical.py         re-identification, and what the classical criteria bound
    facts.py             knows k implications or negations [Martin2007]
    knowledge_limits.py  knows values, other people and relatives [Chen2009]
    prior_knowledge.py   knows how the value depends on the rest [Li2009]
    other_releases.py    holds other releases about the same people [Ganta2008]
    population.py        holds a list of the population; presence.py: δ-presence
    views_together.py    reads views together [Kifer2006]
    noise_promise.py     any attacker of a noisy release
    tradeoff.py          risk against utility, for smaller and larger groups

Imports:      search, marginals, dp, criteria, utility, adversaries, release, engines, data.
Used by:      report, workflow, cli, studio.
Yours:        a new attacker: its file, and a line in ATTACKERS; a form: its file, a line in FORMS.
Take care:    an auditor holds only the release: nothing here may need the original silently.
Always along: a release with one thing changed, and a test that it is caught.
"""
