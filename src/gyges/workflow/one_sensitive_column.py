"""One sensitive column of a release that may have several."""

from __future__ import annotations

from gyges.errors import GygesError
from gyges.release.release import Release


def about_one_column(release: Release, sensitive: str | None) -> Release:
    """The release with this sensitive column, or with the only one that it has."""
    own = release.roles.sensitive_columns
    if release.roles.parts and sensitive is not None:
        return release.about(sensitive)
    if release.roles.parts:
        raise GygesError(
            f"the release has several sensitive columns, {', '.join(own)}: name one with "
            f"--sensitive"
        )
    if sensitive is not None and sensitive not in own:
        raise GygesError(
            f"{sensitive!r} is not a sensitive column of the release: it has "
            f"{', '.join(map(repr, own)) or 'none'}"
        )
    return release


def not_known(release: Release, sensitive: str | None) -> str:
    """What an attacker is taken not to know, where a release has other sensitive columns; or ""."""
    others = [name for name in release.roles.parts if name != sensitive]
    if not others:
        return ""
    listed = " and ".join([", ".join(others[:-1]), others[-1]] if others[1:] else others)
    return (
        f"This attacker does not know {listed} of their target: each row shows "
        f"{'it' if len(others) == 1 else 'them'}, and an attacker who knows more finds fewer rows."
    )
