"""The auditing room: what any attacker learns from a release, and whether its claims are true.

It is not called `audit`, because that is the public function.

    audit.py             `gy.audit`: every attacker, asked about one release
    audit_inputs.py      what an audit was given, checked; findings_by_column.py: of each column
    finding.py           what an attacker answers with, and what the auditor gives them
    effort.py            what is computed without being asked: seconds, not minutes
    attackers.py         ATTACKERS, one line per attacker; rendering.py: findings as text and HTML
    forms.py             FORMS, one line per form; `gy.load`, and how every form is verified
    form_of_release.py   what a form provides: how it is read, checked and described
    form_groups.py       groups; form_views.py: views that are read together;
    form_noise.py        tables with noise; noise_price.py: the privacy loss of the noise
    exchange_check.py    files for other programs, compared with the table that was judged
    checks.py            one claim and what was found; claims.py: a rule judged again
    notes.py             sentences that audits, reports and verification share
    against_original.py  claims that only the original table can confirm
    placed_original.py   in which groups the people of an original are;
    original_places.py   the answer, by row or counted
    people_source.py     tables of people who are looked up in a release
    column_roles.py      guesses the roles of columns; column_guess.py: of one by itself
    column_values.py     what the values of a column look like
    people_in_rows.py    whether rows that share a value are rows of one person
    published_rows.py    what each published row shows, and how many rows look alike;
    kinds_of_rows.py     the rows that it counts
    classical.py         re-identification, and the numbers that classical rules bound
    unique_columns.py    knows a few columns of a person, whichever these are [Elliot2005]
    tells_apart.py       how well sets of columns tell people apart [Motwani2007]
    sample_of_population.py  who is unique in the population, estimated from a sample [Dankar2012]
    knowledge_gain.py    by what factor a value becomes more probable [Saeidian2023]
    facts.py             knows k implications or negations [Martin2007]
    knowledge_limits.py  knows values, other people and relatives [Chen2009]
    prior_knowledge.py   knows how the value depends on the other columns [Li2009]
    other_releases.py    holds other releases about the same people [Ganta2008]
    minimality.py        knows how the groups were chosen [Wong2007]
    rerun_worlds.py      the same for tiny tables, by running the search in every world
    choice_check.py      whether a simulatable choice was made as stated
    downcoding.py        proves finer quasi-identifiers than the labels show [Cohen2022]
    population.py        holds a list of the population; presence.py: δ-presence
    foreign_tables.py    tables that Gyges did not make, and people to compare them with
    comparison.py        the same figures of several releases, side by side
    three_risks.py       singling out, linkability and inference by attack [Giomi2023]
    links_by_distance.py  links people to rows of averages or noisy numbers [DomingoFerrer2001]
    views_together.py    reads views together [Kifer2006]
    reconstructs_rows.py  rows from views, the most confident first [Dick2023]
    noise_promise.py     any attacker of a noisy release [Ganta2008]
    before_after_sheets.py  statistics before and after, as tables
    tradeoff.py          risk against utility, for smaller and larger groups

Imports:      search, marginals, dp, criteria, utility, adversaries, release, engines, data.
Used by:      report, workflow, cli, studio.
Yours:        a new attacker: its file, and a line in ATTACKERS; a form: its file, a line in FORMS.
Take care:    an auditor has only the release: nothing here may silently need the original.
Always along: a release with one thing changed, and a test that it is caught.
"""
