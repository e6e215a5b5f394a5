"""Print k × loss after the start, "normal" (one epoch) and "thorough" (CPU seconds given), and bounds.

Usage: table.py tight|nodes SECONDS [k ...]. Seconds are of processor time on one core.
"""
import sys
from time import process_time

import gyges as gy
import numpy as np

import least_loss as LL
import loss_bounds as LB
from adult_cells import cells
from t1 import loss_nodes, loss_tight

C, labels, seconds = cells(), sys.argv[1], float(sys.argv[2])
other = {"tight": loss_nodes, "nodes": loss_tight}[labels]
own = {"tight": loss_tight, "nodes": loss_nodes}[labels]


def until(k, stop):
    t = process_time()
    for x in LL.search(C, gy.KAnonymity(k), labels=labels):
        spent = process_time() - t
        if x.epoch < 0:
            first = x.loss, spent
        if x.epoch == 0:
            normal = x.loss, spent
        if stop(x, spent):
            return first, normal, (x.loss, spent), x.group_of_cell


until(50, lambda x, spent: x.epoch == 0)  # compile
print("labels k | start s | normal s | thorough s | other score | bound s | raised s", flush=True)
for k in map(int, sys.argv[3:] or (5, 10, 25, 50, 100)):
    first, normal, last, g = until(k, lambda x, spent: x.epoch >= 1 and spent > seconds)
    assert np.bincount(g, weights=C.people).min() >= k and abs(own(C, g) - last[0]) < 1e-9
    p, t = LL.pose(C, gy.KAnonymity(k), labels), process_time()
    y = LB.by_nodes(p) if labels == "nodes" else LB.by_labels(p, most=100)
    bound, spent = LB.mean(p, y), process_time() - t
    raised, t = bound, process_time()
    if labels == "nodes":
        raised = LB.mean(p, LB.raised(p, y, 2, 1.0))
    pairs = [f"{a:.4f} {b:.1f}" for a, b in (first, normal, last)]
    print(labels, k, "|", " | ".join(pairs), f"| {other(C, g):.4f} | {bound:.4f} {spent:.1f} | {raised:.4f} {process_time() - t:.1f}", flush=True)
