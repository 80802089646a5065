"""Random numbers inside compiled code: SplitMix64 over one ``uint64`` cell.

Nothing in the package touches a global random state.  Source: Steele, Lea, Flood, "Fast splittable
pseudorandom number generators" (OOPSLA 2014).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..checks import as_seed
from .jit import BY_NUMBA, F, inlined, njit
from .types import Array, name

RngArray = npt.NDArray[np.uint64]
name("RngArray", Array(np.dtype(np.uint64), 1))
_MASK = 0xFFFFFFFFFFFFFFFF
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


def new_rng(seed: int) -> RngArray:
    """Make a generator, uint64 (1,), from any integer; 0 is a seed like any other."""
    return np.array([seed & _MASK], np.uint64)


def as_rng(given: np.random.Generator | RngArray | int) -> RngArray:
    """Return a generator, or make one of NumPy's or a seed; ValueError for anything else."""
    if isinstance(given, np.random.Generator):
        given = int(given.integers(2**63))
    if isinstance(given, np.ndarray) and given.dtype == np.uint64 and given.shape == (1,):
        if not given.flags.writeable:
            raise ValueError("rng is a read-only array, expected one that can be advanced")
        return given
    return new_rng(as_seed(given))


def _wrapping(function: F) -> F:
    """Mark intended overflow: compiled code wraps silently, the interpreter would warn."""
    return function if BY_NUMBA else np.errstate(over="ignore")(function)


@inlined
@_wrapping
def mixed(bits):
    """Return 64 bits that each depend on all of ``bits``, a ``uint64``; one to one."""
    z = (bits ^ (bits >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@inlined
@_wrapping
def next_bits(rng):
    """Return the next 64 random bits and advance ``rng``."""
    rng[0] += _GAMMA
    return mixed(rng[0])


@inlined
def below(rng, n):
    """Return a random integer from 0 to n - 1 (uneven by less than n / 2**32)."""
    return (np.int64(next_bits(rng) >> _S32) * n) >> 32


@inlined
def uniform(rng):
    """Return a random float in [0, 1)."""
    return np.int64(next_bits(rng) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit
def shuffle(rng, values, count):
    """Shuffle the first ``count`` values in place (Fisher and Yates)."""
    for last in range(count - 1, 0, -1):
        other = below(rng, last + 1)
        kept = values[last]
        values[last] = values[other]
        values[other] = kept
