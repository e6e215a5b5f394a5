"""In which order people draw their values, so that little must be remembered on the way.

A sentence is a set of clauses over people. A clause is open while some of its people have drawn and
others have not, and so is a pool. What must be remembered grows with the open clauses and pools: a
good order keeps them few, as a path decomposition does. Chains and trees of any length have one,
and so do ladders that are not too wide.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

_MOST_BITS = 60  # of the estimated number of states


def drawing_order(clauses: Sequence[Collection[int]], pool_of: Mapping[int, int]) -> list[int]:
    """The better of two orders of the variables of the clauses.

    One goes along the clauses and always takes the variable that leaves the fewest open; the other
    finishes each branch before it comes to where the branches meet, the larger branch first.
    """
    near: defaultdict[int, set[int]] = defaultdict(set)
    for clause in clauses:
        for variable in clause:
            near[variable].update(clause)
    orders = _along(clauses, near), _branch_by_branch(near)
    return min(orders, key=lambda order: _cost(order, clauses, pool_of))


def _along(clauses: Sequence[Collection[int]], near: Mapping[int, set[int]]) -> list[int]:
    """Begin at the end of a chain, and take what closes the most clauses and opens the fewest."""
    left = [set(clause) for clause in clauses]
    sizes = [len(clause) for clause in left]
    ties: defaultdict[int, list[int]] = defaultdict(list)
    for place, clause in enumerate(left):
        for variable in clause:
            ties[variable].append(place)

    def opened(variable: int) -> int:
        return sum((len(left[c]) > 1) - (len(left[c]) < sizes[c]) for c in ties[variable])

    waiting, reached, order = set(near), set[int](), list[int]()
    while waiting:
        among = reached or {min(waiting, key=lambda one: (len(near[one]), one))}
        chosen = min(among, key=lambda one: (opened(one), one))
        order.append(chosen)
        waiting.discard(chosen)
        reached = (reached | near[chosen]) & waiting
        for place in ties[chosen]:
            left[place].discard(chosen)
    return order


def _branch_by_branch(near: Mapping[int, set[int]]) -> list[int]:
    """The post-order of a walk in depth, from one end; of two branches the larger comes first."""
    order, seen = list[int](), set[int]()
    for root in sorted(near, key=lambda one: (len(near[one]), one)):
        if root in seen:
            continue
        seen.add(root)
        reached, branches = [root], defaultdict[int, list[int]](list)
        stack = [(root, iter(sorted(near[root])))]
        while stack:
            at, others = stack[-1]
            following = next((one for one in others if one not in seen), None)
            if following is None:
                stack.pop()
                continue
            seen.add(following)
            reached.append(following)
            branches[at].append(following)
            stack.append((following, iter(sorted(near[following]))))
        size = dict.fromkeys(reached, 1)
        for at in reversed(reached):
            size[at] += sum(size[branch] for branch in branches[at])
        before_reversal, waiting = [], [root]
        while waiting:
            before_reversal.append(waiting.pop())
            # taken last from the stack, so visited first, so last once the order is reversed
            waiting += sorted(branches[before_reversal[-1]], key=lambda one: -size[one])
        order += reversed(before_reversal)
    return order


def _cost(
    order: Sequence[int], clauses: Sequence[Collection[int]], pool_of: Mapping[int, int]
) -> int:
    """Estimate the states that an order goes through: two for each open clause, and the draws."""
    place = {variable: at for at, variable in enumerate(order)}
    change = [0] * (len(order) + 1)
    for clause in clauses:
        places = [place[variable] for variable in clause]
        change[min(places)] += 1
        change[max(places)] -= 1
    last = {pool_of[variable]: at for at, variable in enumerate(order)}
    drawn: dict[int, int] = {}
    is_open, cost = 0, 0
    for at, variable in enumerate(order):
        is_open += change[at]
        pool = pool_of[variable]
        drawn[pool] = drawn.get(pool, 0) + 1
        if last[pool] == at:
            del drawn[pool]
        bits = is_open + sum(n.bit_length() for n in drawn.values())
        cost += 1 << min(bits, _MOST_BITS)
    return cost
