"""Calling NumPy with library dtypes: bfloat16 emulation, several results, and errors as outcomes."""

import warnings

import numpy as np

import dtypes
import truth
from fixture import Error, Result, Typed, Weak, apply

warnings.simplefilter("ignore")

# What NumPy raises for an unsupported dtype, shape, axis or value.
ERRORS = (TypeError, ValueError, IndexError, OverflowError)


def result_name(operands, array):
    """The library dtype of a result: float32 is bfloat16 where every inexact array operand is, unless 16-bit integers
    take part, which bfloat16 cannot hold (promotion as with ml_dtypes)."""
    names = [o.name for o in operands if not isinstance(o, Weak)]
    inexact = [name for name in names if dtypes.is_inexact(name)]
    if array.dtype == np.float32 and inexact and all(name == "bfloat16" for name in inexact):
        return "float32" if "int16" in names or "uint16" in names else "bfloat16"
    return array.dtype.name


def call(function, operands, **options):
    """A list of `Typed` results. NumPy's exceptions pass through."""
    arguments = [o.value if isinstance(o, Weak) else o.array for o in operands]
    with np.errstate(all="ignore"):
        results = function(*arguments, **options)
    results = results if isinstance(results, tuple) else (results,)
    typed = []
    for array in map(np.asarray, results):
        name = result_name(operands, array)
        typed.append(Typed(name, dtypes.convert(name, array)))
    return typed


def attempt(function, operands, **options):
    """The results, or the `Error` that NumPy raises."""
    try:
        return call(function, operands, **options)
    except ERRORS as error:
        return Error(error)


def check_variants(function, operands, variants, expected, where, **options):
    """Asserts that NumPy applied to each variant's views gives the view of the expected result, within tolerance.

    `variants`: (label, recipe of each operand..., recipe of the result)."""
    for label, *recipes in variants:
        views = [o if isinstance(o, Weak) else Typed(o.name, apply(r, o.array)) for o, r in zip(operands, recipes)]
        for got, result in zip(call(function, views, **options), expected, strict=True):
            kind, amount = result.tolerance
            want = apply(recipes[-1], result.typed.array)
            if np.ndim(amount):
                amount = apply(recipes[-1], np.broadcast_to(amount, result.typed.array.shape).copy())
            assert got.name == result.typed.name, (where, label, got.name, result.typed.name)
            assert got.array.shape == want.shape, (where, label, got.array.shape, want.shape)
            if not truth.matches(got.name, got.array, want, (kind, amount)):
                raise AssertionError(f"{where} {options} {label}: {mismatch(got, want, (kind, amount), views)}")


def mismatch(got, want, tolerance, views):
    """The first elements that differ, for a person."""
    lines = []
    for at in np.ndindex(want.shape):
        kind, amount = tolerance
        here = (kind, amount[at] if np.ndim(amount) else amount)
        if not truth.matches(got.name, got.array[at][None], want[at][None], here):
            inputs = [v.value if isinstance(v, Weak) else np.broadcast_to(v.array, want.shape)[at] for v in views]
            lines.append(f"at {at} f{inputs} = {got.array[at]!r}, expected {want[at]!r} within {here}")
    return "\n".join(lines[:10])


def family(variants, typed, position):
    """The variants of one operand: (label, array, recipe) triples for `Fixture.family`."""
    return [(label, typed, recipes[position]) for label, *recipes in variants]


def expect(typed, tolerance, variants):
    return Result(typed, tolerance, [recipes[-1] for _, *recipes in variants])
