"""The kernels room: numbers in, numbers out.

One file per computation, the formula above and the loop below. A kernel takes arrays and returns
arrays; it knows no table, no column and no privacy word, and it checks nothing.

Imports:      arrays, numpy, numba, scipy.
Used by:      every room that computes.
Yours:        any file; say in it which timing shows that NumPy alone is not enough.
Take care:    a signature that changes compiles anew; arrays that are read-only have their own.
Always along: the caller's test against an oracle, and a ratio in benchmarks/.
"""
