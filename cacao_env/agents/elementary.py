"""exp, tanh and log, the same to the last bit on every machine and in a browser.

Those of C libraries, processors and browsers differ in their last bits, and a choice between two moves
of nearly the same value can depend on one.  These use additions, multiplications and divisions alone,
which IEEE 754 defines exactly.  They err by less than 3 units in the last place.
"""

from __future__ import annotations

import math

import numpy as np

from ..engine.jit import inlined, njit

_LOG2_E = float.fromhex("0x1.71547652b82fep+0")
# ln 2 as a sum.  The first number has 20 trailing zeros, so that its product with an exponent is exact.
_LN2_HIGH = float.fromhex("0x1.62e42fee00000p-1")
_LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
_LEAST = -708.0  # exp of it is near the smallest number of full precision
_POWERS = np.ldexp(1.0, np.arange(0, -1024, -1))
_SQRT_HALF = math.sqrt(0.5)


@inlined
def _reduced(x):
    """Return (s, p) with exp(x) = s + s * p and s a power of 2, for x from ``_LEAST`` to 0."""
    k = np.int64(0.5 - x * _LOG2_E)
    r = (x + k * _LN2_HIGH) + k * _LN2_LOW
    # The power series; in two halves, which a processor computes at the same time.
    s = r * r
    even = 1 / 2 + s * (
        1 / 24 + s * (1 / 720 + s * (1 / 40320 + s * (1 / 3628800 + s / 479001600)))
    )
    odd = 1 / 6 + s * (
        1 / 120 + s * (1 / 5040 + s * (1 / 362880 + s * (1 / 39916800 + s / 6227020800)))
    )
    return _POWERS[k], r + s * (even + r * odd)


@njit
def exp_negative(x):
    """Return exp(x) for x <= 0, a float64; 0 where it would be below 1e-307."""
    if x < _LEAST:
        return 0.0
    power, rest = _reduced(x)
    return power + power * rest


@njit
def tanh(x):
    """Return tanh(x) of a float64."""
    y = -2.0 * abs(x)
    if y < _LEAST:
        return math.copysign(1.0, x)
    power, rest = _reduced(y)
    less = (power - 1.0) + power * rest  # exp(y) - 1
    return math.copysign(less / (2.0 + less), x)


@njit
def log_above_one(x):
    """Return log(x) for a float64 x >= 1."""
    halvings = 0
    while x >= 2.0:
        x *= 0.5
        halvings += 1
    if x * _SQRT_HALF > 1.0:
        x *= 0.5
        halvings += 1
    z = (x - 1.0) / (x + 1.0)
    s = z * z
    series = 0.0
    for k in range(21, 1, -2):
        series = (series + 1.0 / k) * s
    return halvings * _LN2_HIGH + ((2.0 * z + 2.0 * z * series) + halvings * _LN2_LOW)
