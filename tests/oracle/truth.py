"""Expected values and how closely they must be met.

NumPy decides: every expected value is NumPy's, or the same function computed by NumPy in a wider type and rounded, where
both are finite. The wide value is used because NumPy's own error (up to 4 ulp in its SIMD loops) depends on the CPU that
runs the generator; `refine` raises if NumPy's own value is not close to it, so it is never another function.

Classes of tolerance (a NaN matches any NaN; infinities, and zeros with their sign, must be met exactly in all but `bounds`):
  exact       arithmetic of reals, rounding, comparisons, integers, selection: the same bits
  ulp 1       half and bfloat16 functions: computed in float and rounded once
  ulp 4       float and double functions (CUDA documents up to 4 ulp, glibc's libmvec promises 4)
  magnitude   complex: each component within n * eps * |expected|, since a component may cancel
  bounds      one absolute error for each element: n * eps * (the magnitude that rounding happened at), for sums and for
              functions whose own argument reduction cancels; the generator states each where it makes it. A bound of inf
              accepts any finite value. A bound of nan accepts anything: products of complex numbers whose parts overflow
              on the way give inf, nan or a finite value depending on fused multiply-add, in NumPy's SIMD loops too.
              A bound of -inf accepts a complex number of which a part is not finite
"""

import numpy as np

import dtypes
from fixture import BOUNDS, EXACT, MAGNITUDE, ULP

WIDE = {"float16": "float64", "bfloat16": "float64", "float32": "float64", "float64": "longdouble",
        "complex64": "complex128", "complex128": "clongdouble"}


def exact():
    return EXACT, None


def ulp(name, wide=4, narrow=1):
    """The ulp class of a function with result dtype `name`; magnitude for complex."""
    if name in dtypes.COMPLEX:
        return MAGNITUDE, float(wide)
    if name not in dtypes.REALS:
        return exact()
    return ULP, float(narrow if name in ("float16", "bfloat16") else wide)


def either_zero(name):
    """Exact, but for the sign of a zero: `maximum(0., -0.)` is either, in NumPy depending on the loop that runs."""
    return (BOUNDS, np.zeros(())) if dtypes.is_inexact(name) else exact()


def product(name, a, b, factor=4):
    """The class of the product of `a` and `b`, which has dtype `name`; see `bounds` above."""
    if name not in dtypes.COMPLEX:
        return exact()
    with np.errstate(all="ignore"):
        a, b = (np.asarray(v, dtype=np.complex128) for v in (a, b))
        largest = dtypes.precision(name)[2]
        parts = [np.abs(x) * np.abs(y) for x in (a.real, a.imag) for y in (b.real, b.imag)]
        finite = [np.isfinite(x) & np.isfinite(y) for x in (a.real, a.imag) for y in (b.real, b.imag)]
        overflow = np.logical_or.reduce([f & (p > largest / 4) for p, f in zip(parts, finite)])
        kind, bound = bounds(name, np.abs(a) * np.abs(b), factor)
    return kind, np.where(overflow, np.nan, bound)


def bounds(name, scale, factor=4):
    """An absolute error of `factor` roundings at magnitude `scale`."""
    eps, subnormal, _ = dtypes.precision(name)
    with np.errstate(all="ignore"):
        absolute = factor * eps * np.abs(np.asarray(scale, dtype=np.float64)) + factor * subnormal
    return BOUNDS, np.nan_to_num(absolute, nan=0.0)


def ulp_distance(name, a, b):
    """How many values of dtype `name` lie between a and b (real, finite)."""
    if name == "bfloat16":
        a, b = (np.asarray(v, np.float32).view(np.int32) >> 16 for v in (a, b))
        bits = 16
    else:
        kind = {2: np.int16, 4: np.int32, 8: np.int64}[dtypes.itemsize(name)]
        a, b = (np.ascontiguousarray(v, dtype=dtypes.numpy_dtype(name)).view(kind) for v in (a, b))
        bits = 8 * dtypes.itemsize(name)
    a, b = (v.astype(object) for v in (a, b))
    lowest = -(1 << (bits - 1))
    order = np.vectorize(lambda v: lowest - v if v < 0 else v, otypes=[object])
    return np.abs(order(a) - order(b)) if np.size(a) else np.zeros(np.shape(a), dtype=object)


def refine(name, native, wide, limit=8, where="?"):
    """`wide` rounded to dtype `name` where it and `native` are finite, `native` elsewhere."""
    native, narrow = np.atleast_1d(native), np.atleast_1d(dtypes.convert(name, wide))
    if name in dtypes.COMPLEX:
        usable = np.isfinite(native) & np.isfinite(narrow)
        eps, subnormal, _ = dtypes.precision(name)
        with np.errstate(all="ignore"):
            far = np.abs(native - narrow) > limit * eps * np.abs(narrow) + 4 * subnormal
        keep_zero = (native.real == 0, native.imag == 0)
        out = np.where(usable, narrow, native)
        out.real = np.where(keep_zero[0] & (out.real == 0), native.real, out.real)
        out.imag = np.where(keep_zero[1] & (out.imag == 0), native.imag, out.imag)
    else:
        usable = np.isfinite(native) & np.isfinite(narrow)
        far = np.zeros(native.shape, dtype=bool)
        far[usable] = ulp_distance(name, native[usable], narrow[usable]) > limit
        out = np.where(usable & ~((native == 0) & (narrow == 0)), narrow, native)
    if np.any(usable & far):
        at = np.argwhere(usable & far)[0]
        raise AssertionError(f"{where} {name}: NumPy has {native[tuple(at)]}, wider {narrow[tuple(at)]} at {at}")
    return out


def widen(typed):
    """The values of `typed` in the type that `refine` compares with."""
    return typed.array.astype(WIDE.get(typed.name, "longdouble"))


def matches(name, actual, expected, tolerance):
    """Whether `actual` is what a library may answer where `expected` and `tolerance` are stored: NumPy itself must pass."""
    if dtypes.is_complex(name) and tolerance[0] != EXACT:
        eps, subnormal, _ = dtypes.precision(name)
        with np.errstate(all="ignore"):
            error = tolerance[1]
            if tolerance[0] == BOUNDS:
                unfinished = np.isneginf(error)
                if np.any(unfinished & np.isfinite(actual)):
                    return False
                error = np.where(unfinished, np.nan, error)
            else:
                error = error * (eps * np.abs(expected) + subnormal)
                error = np.where(np.isfinite(error), error, 0)
        real = "float32" if name == "complex64" else "float64"
        return all(matches(real, a, e, (BOUNDS, error)) for a, e in ((actual.real, expected.real), (actual.imag, expected.imag)))
    if not dtypes.is_inexact(name):
        return bool(np.array_equal(actual, expected))
    if dtypes.is_complex(name):
        return matches_exactly(actual.real, expected.real) and matches_exactly(actual.imag, expected.imag)
    finite = np.isfinite(actual) & np.isfinite(expected)
    if tolerance[0] == EXACT:
        return matches_exactly(actual, expected)
    if tolerance[0] == ULP:  # finite and infinite are neighbours too
        one = np.isnan(actual) | np.isnan(expected)
        return (matches_exactly(np.where(one, actual, 0), np.where(one, expected, 0))
                and bool(np.all(ulp_distance(name, np.where(one, 0, actual), np.where(one, 0, expected)) <= tolerance[1])))
    amount = np.broadcast_to(tolerance[1], np.shape(expected))
    free = np.isnan(amount)
    actual, expected, amount = np.where(free, 0, actual), np.where(free, 0, expected), np.where(free, 0, amount)
    finite = finite | free
    close = np.abs(np.where(finite, actual, 0) - np.where(finite, expected, 0)) <= amount
    return bool(np.all(close)) and matches_exactly(np.where(finite, 0, actual), np.where(finite, 0, expected))


def matches_exactly(actual, expected):
    with np.errstate(all="ignore"):
        same = (actual == expected) & (np.signbit(actual) == np.signbit(expected))
    return bool(np.all(same | (np.isnan(actual) & np.isnan(expected))))
