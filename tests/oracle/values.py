"""The values that functions meet: for each dtype eight special ones first, then edges of its arithmetic, then noise.

Special values of a floating dtype: nan, inf, -inf, -0, the largest, the lowest, the smallest subnormal, 0; of an integer
dtype: its extremes, 0 and their neighbours.
"""

import numpy as np

import dtypes
from fixture import Typed

SEED = 20260


def special(name):
    """The eight values at positions 0, 2, ... 14."""
    if name == "bool":
        return [False, True] * 4
    if name in dtypes.INTEGERS:
        info = np.iinfo(name)
        return [info.min, info.max, 0, 1, info.max - 1, info.min + 1, 2, -1 if info.min < 0 else 3]
    eps, subnormal, largest = dtypes.precision(name)
    return [np.nan, np.inf, -np.inf, -0.0, largest, -largest, subnormal, 0.0]


def edges(name):
    """Other values worth trying, most important first."""
    if name == "bool":
        return [True, False, False, True]
    if name in dtypes.INTEGERS:
        info = np.iinfo(name)
        near = [7, 10, 5, 64, 100, info.max // 2, info.max // 3, info.bits, info.bits - 1, 12]
        return near[:4] + ([-3, -7, -2, info.min // 2] if info.min < 0 else [4, 6, 255, 8]) + near[4:]
    eps, subnormal, largest = dtypes.precision(name)
    tiny = subnormal / eps
    return [1.0, -1.0, 0.5, 2.0, -2.5, 3.0, -3.0, 10.0,  # those that a list of 24 holds
            1.5, -7.25, 1 + eps, 1 - eps / 2, tiny, -subnormal, tiny - subnormal, -0.5,
            2.5, 3.5, -1.5, np.pi, np.pi / 2, -np.pi / 4, 1e-3, -1e-3, 100.0, -20.0, eps, eps / 4, 1 / eps, 2 / eps - 1,
            np.log(largest), np.log(largest) * (1 + 2 * eps), -np.log(largest), np.log(subnormal), np.log2(largest),
            np.sqrt(largest), np.sqrt(tiny), largest / 2, largest / 3, 0.7071, 1000.5, 8193.0, -31415.9, 2 * tiny]


def vector(name, size=120):
    """A one-axis array of `size` values of dtype `name`."""
    return Typed(name, _fill(name, size, spread=True))


def short(name, size, family="default"):
    """`size` values for one side of a grid; `family` chooses a range that a function needs."""
    if family == "shift" and name not in dtypes.REALS + dtypes.COMPLEX:  # shift counts
        if name == "bool":
            return Typed(name, np.arange(size) % 2)
        bits = np.iinfo(name).bits
        counts = [0, 1, 2, 3, bits - 1, bits, bits + 1, bits // 2, 5, bits - 2, 4, 6]
        lowest = np.iinfo(name).min
        values = counts + ([-1, lowest, -bits, np.iinfo(name).max] if lowest < 0 else [np.iinfo(name).max, 7, 100, 0])
        return Typed(name, _cycle(values, size, name))
    if family == "exponent" and name in dtypes.INTEGERS:  # NumPy raises for integers to negative powers
        return Typed(name, _cycle([0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 33, 63, 64, 100, 120, 127], size, name))
    if family == "ldexp" and name in dtypes.INTEGERS:
        exponents = [0, 1, -1, 5, -5, 10, -14, 24, -24, 100, -100, 127, -126, -149, 1023, -1074, -2000, 2000]
        info = np.iinfo(name)
        return Typed(name, _cycle([e for e in exponents if info.min <= e <= info.max], size, name))
    return Typed(name, _fill(name, size, spread=False))


def _cycle(values, size, name):
    return np.resize(np.array(values, dtype=object), size).astype(dtypes.numpy_dtype(name))


def _fill(name, size, spread):
    if name in dtypes.COMPLEX:
        return _fill_complex(name, size, spread)
    rng = np.random.default_rng([SEED, dtypes.IDS[name], size])
    first = special(name)[:(size + 1) // 2]
    rest = list(edges(name))[:size - len(first)]
    missing = size - len(first) - len(rest)
    if missing > 0:
        rest += _noise(name, missing, rng)
    out, rest = [None] * size, iter(rest)
    for i, value in enumerate(first):
        out[2 * i] = value
    out = [next(rest) if value is None else value for value in out]
    if name in dtypes.REALS:
        return dtypes.convert(name, np.array(out, dtype=np.float64))
    return np.array(out, dtype=object).astype(dtypes.numpy_dtype(name))


def _noise(name, count, rng):
    if name == "bool":
        return list(rng.integers(0, 2, count).astype(bool))
    if name in dtypes.INTEGERS:
        info = np.iinfo(name)
        small = rng.integers(max(info.min, -100), 100, count - count // 2).tolist()
        return small + rng.integers(info.min, info.max, count // 2, dtype=name, endpoint=True).tolist()
    largest = dtypes.precision(name)[2]
    third = count // 3
    unit = rng.uniform(-1, 1, third)
    normal = 4 * rng.standard_normal(third)
    scale = np.exp(rng.uniform(-np.log(largest) / 2, np.log(largest) / 2, count - 2 * third))
    return [*unit, *normal, *scale]


def _fill_complex(name, size, spread):
    """Pairs of special parts: all of them in a vector, a choice in a short list."""
    largest, subnormal = dtypes.precision(name)[2], dtypes.precision(name)[1]
    rng = np.random.default_rng([SEED, dtypes.IDS[name], size])
    if not spread:
        first = [(np.nan, 1), (np.inf, -1), (-np.inf, np.inf), (-0.0, 0.0), (largest, largest / 2), (-largest, 1),
                 (subnormal, -subnormal), (0.0, 0.0), (1, 0), (0, 1), (-1, -0.0), (1, 2), (-2.5, 0.5), (3, -4), (2, np.nan),
                 (0.5, -np.inf), (1, 1), (1, -1), (0.0, -2), (0.25, 1e-3)]
        first += [tuple(pair) for pair in rng.standard_normal((max(0, size - len(first)), 2))]
        pairs = [None] * size
        pairs[0:16:2] = first[:8] if size >= 16 else first[:len(pairs[0:16:2])]
        rest = iter(first[8:] + first[len(pairs[0:16:2]):8])
        pairs = [next(rest) if pair is None else pair for pair in pairs]
    else:
        parts = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, largest, subnormal, 0.5]
        crossed = [(re, im) for re in parts for im in parts]
        first = [(np.nan, 1), (np.inf, -1), (-np.inf, np.inf), (-0.0, 0.0), (largest, largest), (-largest, 1),
                 (subnormal, -subnormal), (0.0, 0.0)]
        cuts = [(-2, 0.0), (-2, -0.0), (2, 0.0), (2, -0.0), (0.0, 2), (-0.0, 2), (0.0, -2), (-0.0, -2)]
        others = [pair for pair in crossed if pair not in first] + cuts
        others += [tuple(pair) for pair in 2 * rng.standard_normal((size, 2))]
        pairs = [first[i // 2] if i % 2 == 0 and i < 16 else None for i in range(size)]
        rest = iter(others)
        pairs = [next(rest) if pair is None else pair for pair in pairs]
    out = np.empty(size, dtype=np.complex128)
    out.real = [pair[0] for pair in pairs]
    out.imag = [pair[1] for pair in pairs]
    return dtypes.convert(name, out)
