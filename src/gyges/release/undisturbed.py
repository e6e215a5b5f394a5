"""Steps that an interruption waits for: a release is put in place, the ledger is written.

Whoever answers Ctrl-C takes the lock first. What it then finds on the disk is the truth: nothing is
half done, and nothing more is done. Such a step takes milliseconds.
"""

from __future__ import annotations

import threading

UNDISTURBED = threading.RLock()
