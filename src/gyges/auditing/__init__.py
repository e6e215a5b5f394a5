"""The auditing room: all that any attacker gains from one release, put together.

Its name is not `audit`, because that is the public function.

`verify` recomputes every claim of a release from its own files. `audit` asks every attacker.

Imports:      search, marginals, dp, criteria, utility, adversaries, release, engines, data.
Used by:      report, cli, studio, papers.
Yours:        a new attacker's section in audit.py.
Take care:    an auditor holds only the release: nothing here may need the original silently.
Always along: a release with one thing changed, and a test that it is caught.
"""
