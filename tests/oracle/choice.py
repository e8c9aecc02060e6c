"""`where` with three arguments, `clip`, and `astype`.

`astype` from floating to integer beyond the range is undefined in NumPy (it differs between CPUs): expected here is the
library's rule, saturation and 0 for nan. Everything else is NumPy's.
"""

import numpy as np

import calls
import dtypes
import layouts
import truth
import values
from binary import grid
from fixture import Error, Fixture, Result, Typed, Weak, plain

MIXED = [("int8", "uint8"), ("int32", "float32"), ("bool", "int16"), ("float16", "bfloat16"), ("float32", "complex64"),
         ("uint64", "int64")]


def add(fixture, function, call, operands, variants):
    """One case; `variants` as for `calls.check_variants`."""
    results = calls.attempt(call, operands)
    if isinstance(results, Error):
        assert results.kind == "TypeError" or any(isinstance(o, Weak) for o in operands), (function, results.message)
        fixture.add(function, [o if isinstance(o, Weak) else plain(o) for o in operands], results)
        return
    tolerance = truth.either_zero if function == "clip" else lambda name: truth.exact()
    expected = [calls.expect(r, tolerance(r.name), variants) for r in results]
    calls.check_variants(call, operands, variants, expected, (function, *[getattr(o, "name", "weak") for o in operands]))
    inputs = [o if isinstance(o, Weak) else calls.family(variants, o, i) for i, o in enumerate(operands)]
    fixture.add(function, inputs, expected)


def mask(size):
    return Typed("bool", np.random.default_rng([values.SEED, size]).integers(0, 2, (size, size)).astype(bool))


def where():
    fixture = Fixture()

    def variants(rows):
        return [(label, result, first, second, result) for label, first, second, result in rows]

    for name in dtypes.NAMES:
        add(fixture, "where", np.where, [mask(24), *grid((name, name), 24, "default")], variants(layouts.grid_variants()))
    few = variants(layouts.few_grid_variants())
    for names in MIXED:
        add(fixture, "where", np.where, [mask(12), *grid(names, 12, "default")], few)
    for condition in ("int32", "float32", "complex64"):  # any dtype will do as a condition: true where it is not 0
        add(fixture, "where", np.where, [grid((condition, condition), 12, "default")[0], *grid(("float32", "float32"), 12, "default")], few)
    for name in ("bool", "uint8", "int64", "float16", "float32", "complex64"):
        by_row, by_column = grid((name, name), 12, "default")
        for value in (True, 7, 2.5, 1j):
            add(fixture, "where", np.where, [mask(12), by_row, Weak(value)], few)
            add(fixture, "where", np.where, [mask(12), Weak(value), by_column], few)
    for first, second in ((1, 2), (1.5, 2), (True, False)):
        add(fixture, "where", np.where, [mask(12), Weak(first), Weak(second)], few)
    return fixture


def clip():
    fixture = Fixture()

    def variants(rows):
        return [(label, first, second, second, result) for label, first, second, result in rows]

    for name in dtypes.NAMES:
        array, low = grid((name, name), 24, "default")
        high = Typed(name, np.roll(low.array, 5, axis=1))
        add(fixture, "clip", np.clip, [array, low, high], variants(layouts.grid_variants()))
    few = variants(layouts.few_grid_variants())
    for names in MIXED:
        array, low = grid(names, 12, "default")
        add(fixture, "clip", np.clip, [array, low, Typed(names[1], np.roll(low.array, 5, axis=1))], few)
    vector = [(f"1/{layout}", recipe, recipe, recipe, recipe) for layout, recipe in
              (("contiguous", []), ("reversed", [layouts.index(slice(None, None, -1))]))]
    for name in ("int8", "uint8", "int64", "float16", "bfloat16", "float32", "float64"):
        array = values.short(name, 24)
        for low, high in ((2, 50), (None, 10), (3, None), (0.5, 2.5), (5, 1), (-1, 300), (-1000, -500), (np.nan, 2.0), (None, 300), (-1000, None),
                          (None, -1000), (300, None), (-1000, 2.5)):
            add(fixture, "clip", np.clip, [array, Weak(low), Weak(high)], vector)
    return fixture


def cast(typed, name):
    """`typed` as dtype `name`."""
    array = typed.array
    if name in dtypes.INTEGERS and dtypes.is_inexact(typed.name):
        info = np.iinfo(name)
        wide = np.trunc(array.real.astype(np.longdouble))
        wide = np.where(np.isnan(wide), 0, np.clip(wide, info.min, info.max))
        exact = np.array([int(v) for v in np.atleast_1d(wide)], dtype=object)
        return exact.astype(name).reshape(array.shape)
    if name == "bfloat16":
        return dtypes.round_bfloat16_once(array.real)
    with np.errstate(all="ignore"):
        return array.astype(dtypes.numpy_dtype(name))


def in_range(typed, name):
    """Where NumPy defines `typed.astype(name)`."""
    if name not in dtypes.INTEGERS or not dtypes.is_inexact(typed.name):
        return np.ones(typed.array.shape, dtype=bool)
    info = np.iinfo(name)
    wide = np.trunc(typed.array.real.astype(np.longdouble))
    return (wide >= info.min) & (wide <= info.max)


def astype():
    fixture = Fixture()
    variants = [(label, recipe, recipe) for label, recipe in layouts.vector_variants()]
    for source in dtypes.NAMES:
        typed = values.vector(source)
        for target in dtypes.NAMES:
            array = cast(typed, target)
            if target != "bfloat16":
                with np.errstate(all="ignore"):
                    native = typed.array.astype(target)
                defined = in_range(typed, target)
                assert truth.matches(target, native[defined], array[defined], truth.exact()), (source, target)
            result = Result(Typed(target, array), truth.exact(), [recipe for _, _, recipe in variants])
            fixture.add("astype", [calls.family(variants, typed, 0)], [result], dtype=target)
    return fixture


def topics():
    return {"where": where, "clip": clip, "astype": astype}
