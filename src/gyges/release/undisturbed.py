"""A lock for steps that an interruption waits for: moving a release into place, writing the ledger.

The handler of Ctrl-C takes the lock first. The disk is then in a consistent state, and no further
step begins. Such a step takes milliseconds.
"""

from __future__ import annotations

import threading

UNDISTURBED = threading.RLock()
