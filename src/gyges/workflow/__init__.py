"""The workflow room: from a table and a project file to a release that leaves the building.

A project is proposed, corrected, published as a trial, compared with earlier releases, and made
final; the ledger records it. The command line, the web page and Python (`gy.Project`) use this
room: it decides, they show. It prints nothing; what it reports during a run goes to a `Progress`
that the surface provides.

    project.py                    `gy.Project`: from Python what `gyges publish gyges.toml` does
    project_file.py               reads gyges.toml; project_sections.py: its sections and keys
    project_rules.py              its rules; rule_names.py: their names; choices.py: of methods
    project_lines.py              the line of each key, for errors
    project_without_file.py       the project that the command's options describe
    purpose_options.py            the purpose that they describe
    proposal.py                   guesses about a table; proposed_file.py: a commented gyges.toml
    policies.py                   rules for `init`, relaxed until a table can satisfy them
    uniqueness.py                 which columns make people unique
    source_facts.py               a table at first sight: some rows, and what is odd
    source_files.py               the files of a source, how changes are noticed, passwords
    column_profiles.py            each column: its distribution, whom it singles out, its levels
    project_draft.py              a project while it is edited: saved, undone, locked
    project_edits.py              the changes; project_text.py: the file that they make

    opened_table.py               a project's table while it is looked at
    trial_release.py              groups under some rules, judged exactly, without any file
    trial_details.py              a trial beside the original
    alternatives.py               other methods and numbers, by risk and loss
    release_in_memory.py          what would be published now, and its riskiest groups
    compared_releases.py          releases of any maker, audited alike and put side by side
    office_file.py                the page for a privacy office
    published_file.py             a published table of others: which columns may be known

    publishing.py                 publishes any form: searched, compared, written, entered
    noise_options.py              the options of noise, and the budget that pays for it
    publish_run.py                one run and its result; run_options.py: its options
    release_target.py             where a release goes, and what happens just before it appears
    extra_outputs.py              what is written besides its tables
    inside_files.py               refuses places where inside files would leave the building
    inside_report.py              the report that must stay inside
    applying.py                   publishes new rows under the scheme of an earlier release
    earlier_releases.py           compares a new release with those that left before
    looked_up_people.py           the people of a table in an earlier release
    recorded_people.py            who was in a release, kept inside
    joined_attack.py              attacks several releases; people_table.py: the people to look up;
                                  attack_options.py: who is in which, which values may change
    one_sensitive_column.py       of a release that may have several
    proposed_shapes.py            top coding; doubtful_marks.py: of missing values
    skyline_of_release.py         how much an attacker may know; picture_pages.py: --picture
    demonstration.py              a made-up hospital, published

    ledger.py                     what was published about whom, what left, what budget is left
    recorded_releases.py          releases in it; budgets.py: budgets and payments
    data_subjects.py              which people a data source is about
    ledger_entry.py               the entry of a new release
    ledger_changes.py             confirms and withdraws; ledger_export.py: as JSON and CSV
    ledger_file.py                its SQLite file; kept_releases.py: copies of confirmed releases
    budget_account.py             a budget that pays for noise
    progress.py                   what a run reports; outputs.py: what it is about to write

Imports:      every room below: report, auditing, search, marginals, dp, criteria, release, data.
Used by:      cli, studio, and Python through `gy.Project`.
Yours:        a new step of the workflow; a policy in policies.py.
Take care:    the order of comparing, paying, entering and appearing; tests kill it at every step.
Always along: the same run from the command and from Python, with the same result.
"""
