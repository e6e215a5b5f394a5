"""The marginals room: many small tables instead of one coarse one.

A view counts people by some columns, each at some level of its hierarchy. This room knows what
several views say together (maximum entropy), how far that is from the table (KL divergence),
whether it is safe (k-link, k-combinatorial, maxent diversity), and which views to publish.

induced → counts → store        columns as paths, views as counts, counts made once
graph → maxent, fitting         junction trees; closed form, else proportional fitting
sensitive_tree → worst, elimination, pruning → diversity, k_combinatorial, k_link, joint
moves → safety → selection      the search
model                           `Marginals`, where all of it meets

Imports:      criteria, data, exact, arrays, errors; networkx, scipy.
Used by:      audit, papers, cli, studio.
Yours:        moves.py and selection.py: any search that asks safety.py at every step.
Take care:    `Resolution` in induced.py; every file reckons in it. worst.py and pruning.py decide
              what need not be looked at: a mistake there says "safe" too often.
Always along: tests/oracles/marginals.py, which reconstructs and enumerates everything.
"""
