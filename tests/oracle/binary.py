"""Elementwise functions of two arrays: same dtypes in every rank and layout, mixed dtypes and weak scalars in a few.

Operands are grids: the first is constant along columns, the second along rows, so a grid holds every pair of two short
lists of values, and the broadcast variants are true broadcasts of a column with a row.
"""

import numpy as np

import calls
import dtypes
import layouts
import truth
import values
from fixture import BOUNDS, Error, Fixture, Result, Typed, Weak, plain

GROUPS = {
    "arithmetic": ["add", "subtract", "multiply", "divide", "floor_divide", "remainder", "fmod", "divmod", "power"],
    "functions": ["arctan2", "hypot", "logaddexp", "logaddexp2", "copysign", "nextafter", "ldexp", "gcd", "lcm", "maximum",
                  "minimum", "fmax", "fmin", "isclose"],
    "logic": ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or",
              "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"]}

# The values of the second operand where the default list would not do (values.short).
SECOND = {"left_shift": "shift", "right_shift": "shift", "power": "exponent", "ldexp": "ldexp"}

# Mixed dtypes. Promotion is one table, tested as such elsewhere: two functions meet many pairs, the others a few.
MIXED = [("int8", "uint8"), ("int32", "float32"), ("float32", "complex64"), ("bool", "int16"), ("bfloat16", "float16")]
MANY_MIXED = MIXED + [("uint64", "int64"), ("float16", "float32"), ("uint8", "float16"), ("int16", "bfloat16"),
                      ("complex64", "float64"), ("int64", "complex64"), ("float64", "float32")]
LDEXP = [(real, integer) for real in ("float16", "float32", "float64") for integer in ("int8", "int32", "int64")]
PAIRS = {"add": MANY_MIXED, "equal": MANY_MIXED, "ldexp": LDEXP}

# Arrays beside Python scalars, which are weak.
SCALAR_FUNCTIONS = ["add", "multiply", "maximum", "equal", "bitwise_and", "left_shift", "subtract", "divide", "floor_divide",
                    "remainder", "power", "less", "arctan2", "copysign", "ldexp", "logical_and"]
SCALAR_FIRST = ["subtract", "divide", "floor_divide", "power", "less"]  # the scalar as the first operand too
SCALAR_DTYPES = ["bool", "int8", "uint64", "float16", "float32", "complex64"]
SCALARS = [3, -2, 2.5]
ALL_SCALARS = [True, 1.5 - 2j, 200]  # with a few functions

OPTIONS = {"isclose": [{}, {"rtol": 0.25, "atol": 0.5, "equal_nan": True}]}


def nextafter_bfloat16(x, y):
    """np.nextafter among the values of bfloat16; of equal ones the first, as np.nextafter for half."""
    x, y = np.broadcast_arrays(x, y)
    x, y = np.array(x, order="C"), np.array(y, order="C")
    bits = x.view(np.int32) >> 16
    up = (y > x) == (x > 0)
    step = np.where(x == 0, np.where(np.signbit(y), -0x7FFF, 1), np.where(up, bits + 1, bits - 1))
    out = (np.where(x == y, bits, step).astype(np.int32) << 16).view(np.float32)
    return np.where(np.isnan(x) | np.isnan(y), np.float32(np.nan), out)


def isclose_bfloat16(x, y, rtol=1e-5, atol=1e-8, equal_nan=False):
    """np.isclose, which for half computes in half; the same for bfloat16."""
    r = dtypes.round_bfloat16
    with np.errstate(all="ignore"):
        tolerance = r(r(np.float32(atol)) + r(r(np.float32(rtol)) * np.abs(y)))
        near = (r(np.abs(r(x - y))) <= tolerance) & np.isfinite(y)
    return near | (x == y) | (equal_nan & np.isnan(x) & np.isnan(y))


BFLOAT16 = {"nextafter": nextafter_bfloat16, "isclose": isclose_bfloat16}


def grid(name, size, family):
    """The two operands of dtypes `name`, as grids of size x size."""
    first = values.short(name[0], size)
    second = values.short(name[1], size, family)
    return (Typed(name[0], np.repeat(first.array[:, None], size, axis=1)),
            Typed(name[1], np.repeat(second.array[None, :], size, axis=0)))


def numpy_function(function, names):
    if names == ("bfloat16", "bfloat16") and function in BFLOAT16:
        return BFLOAT16[function]
    return getattr(np, function)


def magnitude(value):
    with np.errstate(all="ignore"):
        return np.abs(value.astype(np.float64 if not np.iscomplexobj(value) else np.complex128))


def expected_of(function, operands, result, names):
    """(array, tolerance): see truth.py."""
    name = result.name
    complex_result = name in dtypes.COMPLEX
    a, b = (o.value if isinstance(o, Weak) else o.array for o in operands)
    if function == "multiply":
        return result.array, truth.product(name, a, b)
    if function == "divide":
        return result.array, truth.ulp(name, 8) if complex_result else truth.exact()
    if function in ("hypot", "arctan2") and name in dtypes.REALS:
        return truth.refine(name, result.array, wide_call(function, name, a, b)), truth.ulp(name)
    if function == "power" and name in dtypes.REALS:
        return truth.refine(name, result.array, wide_call(function, name, a, b), 8), truth.ulp(name)
    if function in ("logaddexp", "logaddexp2") and name in dtypes.REALS:  # the larger argument and a small logarithm cancel
        wide = wide_call(function, name, a, b)
        scale = np.maximum(np.abs(wide), np.maximum(magnitude(np.asarray(a)), magnitude(np.asarray(b))))
        return truth.refine(name, result.array, wide, np.inf), truth.bounds(name, np.where(np.isfinite(scale), scale, 0), 4)
    if function == "power" and complex_result:  # exp(b * log(a)): relative to the argument of exp
        with np.errstate(all="ignore"):
            logarithm = np.abs(np.log(np.asarray(a, dtype=np.complex128)) * b)
        scale = np.abs(result.array) * (1 + np.nan_to_num(logarithm, nan=0, posinf=0))
        return result.array, truth.bounds(name, scale, 8)
    if function in ("maximum", "minimum", "fmax", "fmin"):
        return result.array, truth.either_zero(name)
    return result.array, truth.exact()


def wide_call(function, name, a, b):
    wide = truth.WIDE[name]
    a, b = (dtypes.convert(name, value).astype(wide) for value in (a, b))
    with np.errstate(all="ignore"):
        return getattr(np, function)(a, b)


def add_case(fixture, function, names, operands, variants, options):
    call = numpy_function(function, names)
    results = calls.attempt(call, operands, **options)
    if isinstance(results, Error):
        assert results.kind == "TypeError" or any(isinstance(o, Weak) for o in operands), (function, names, results.message)
        inputs = [o if isinstance(o, Weak) else plain(o) for o in operands]
        fixture.add(function, inputs, results, **options)
        return
    expected = []
    for result in results:
        array, tolerance = expected_of(function, operands, result, names)
        expected.append(calls.expect(Typed(result.name, array), tolerance, variants))
    calls.check_variants(call, operands, variants, expected, (function, *names), **options)
    inputs = [o if isinstance(o, Weak) else calls.family(variants, o, i) for i, o in enumerate(operands)]
    fixture.add(function, inputs, expected, **options)


def topic(functions):
    fixture = Fixture()
    for function in functions:
        family = SECOND.get(function, "default")
        for options in OPTIONS.get(function, [{}]):
            for name in dtypes.NAMES:
                add_case(fixture, function, (name, name), grid((name, name), 24, family), layouts.grid_variants(), options)
            for names in PAIRS.get(function, MIXED):
                add_case(fixture, function, names, grid(names, 12, family), layouts.few_grid_variants(), options)
    return fixture


def scalars():
    """Arrays with weak scalars, on either side where that makes a difference."""
    fixture = Fixture()
    steps = [layouts.index(slice(None, None, -1))]
    variants = [("1/contiguous", [], [], []), ("1/reversed", steps, steps, steps)]
    for function in SCALAR_FUNCTIONS:
        for name in SCALAR_DTYPES:
            for value in SCALARS + (ALL_SCALARS if function in ("add", "less", "logical_and") else []):
                add_case(fixture, function, (name, "scalar"), [values.short(name, 24), Weak(value)], variants, {})
                if function in SCALAR_FIRST:
                    array = values.short(name, 24, SECOND.get(function, "default"))
                    add_case(fixture, function, ("scalar", name), [Weak(value), array], variants, {})
    return fixture


def topics():
    result = {f"binary_{group}": (lambda functions=functions: topic(functions)) for group, functions in GROUPS.items()}
    return {**result, "binary_scalars": scalars}
