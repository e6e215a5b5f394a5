"""The workflow room: from a table and a project file to what left the building.

A project is proposed, corrected, published as a trial, compared with what left before, and made
final; the ledger remembers it. The command line, the web page and Python (`gy.Project`) stand on
this room: it decides, they show. It prints nothing; what it has to say while it runs goes to a
`Progress` that the surface hands in.

    project.py                `gy.Project`: from Python what `gyges publish gyges.toml` does
    project_file.py           reading gyges.toml; project_sections.py: its sections and their keys
    project_rules.py          its rules; project_lines.py: the line of each key, for errors
    project_without_file.py   the project that options of the command describe
    proposal.py               what a table seems to hold; proposed_file.py: a commented gyges.toml
    policies.py               rules for `init`, eased to what a table can satisfy
    uniqueness.py             which columns single people out

    publishing.py             a release: searched, compared, written, entered in the ledger
    publishing_views.py       the same as views; publishing_noise.py: with noise
    published_run.py          what a run is asked, and what it made
    release_target.py         where a release goes, and what happens just before it appears
    extra_outputs.py          what is written besides its tables
    inside_files.py           what must stay inside; inside_report.py: the report that knows it
    applying.py               new rows under the scheme of an earlier release
    earlier_releases.py       a new release joined with those that left before
    joined_attack.py          any releases joined; people_table.py: the people looked up in them
    skyline_of_release.py     how much an attacker may know; picture_pages.py: pages asked for
    demonstration.py          a made-up hospital, published

    ledger.py                 what was published about whom, what left, what budget is left
    recorded_releases.py      releases in it; budgets.py: budgets and payments; data_subjects.py:
                              which data is about whom
    ledger_entry.py           the entry of a new release; ledger_changes.py: confirm and withdraw
    ledger_file.py            its SQLite file; ledger_export.py: as JSON and CSV
    kept_releases.py          copies of what left the building
    budget_account.py         a budget that pays for noise
    progress.py               what a surface is told; outputs.py: what is about to be written

Imports:      every room below: report, auditing, search, marginals, dp, criteria, release, data.
Used by:      cli, studio, and Python through `gy.Project`.
Yours:        a new step of the workflow; a policy in policies.py.
Take care:    the order of comparing, paying, entering and appearing; tests kill it at every step.
Always along: the same run from the command and from Python, with the same result.
"""
