"""`matmul`, `dot`, `vdot`, `inner`, `outer` and `tensordot` over shapes, stacks, layouts and dtypes.

Expected values are computed in long double and rounded, with the bounds of rounding.py (half and bfloat16: one rounding
of a sum in float). Integers wrap, bool is or-of-and, exactly.
"""

import numpy as np

import calls
import dtypes
import rounding
import truth
import values
from fixture import Error, Fixture, Result, Typed
from reductions import layouts_of

SHAPES = {
    "matmul": [((3, 4), (4, 5)), ((4,), (4,)), ((3, 4), (4,)), ((4,), (4, 5)), ((2, 3, 4), (4, 5)), ((3, 4), (2, 4, 5)),
               ((2, 3, 4), (2, 4, 5)), ((2, 1, 3, 4), (3, 4, 2)), ((2, 3, 4), (4,)), ((4,), (2, 4, 3)), ((3, 0), (0, 4)),
               ((0, 3), (3, 2)), ((2, 0, 3), (3, 4)), ((0, 2, 3), (3, 4)), ((0,), (0,)), ((2, 3, 0), (0,)), ((1, 1), (1, 1)),
               ((1, 4), (4, 1)), ((17, 9), (9, 13)), ((1, 2, 1, 2, 3), (2, 1, 3, 2)), ((3, 1, 2), (1, 2, 3)),
               ((2, 0, 2, 3), (3, 2)), ((2, 1, 0, 2, 3), (3, 1))],
    "dot": [((), ()), ((), (3, 2)), ((2, 3), ()), ((4,), (4,)), ((3, 4), (4,)), ((4,), (4, 5)), ((3, 4), (4, 5)), ((2, 3, 4), (4,)),
            ((2, 3, 4), (5, 4, 2)), ((4,), (2, 4, 3)), ((2, 2, 2, 3), (3, 2)), ((3, 0), (0, 2)), ((0,), (0,)), ((0, 3), (3, 2)),
            ((2, 1, 2, 1, 3), (3,)), ((2, 0, 3), (3, 2)), ((2, 1, 0, 3), (3,)), ((1, 0, 2, 1, 3), (3, 2))],
    "vdot": [((), ()), ((5,), (5,)), ((2, 3), (2, 3)), ((2, 3), (3, 2)), ((6,), (2, 3)), ((0,), (0,)), ((2, 2, 3), (12,)), ((2, 3, 2, 2), (2, 3, 4)),
             ((1, 2, 1, 3, 2), (12,)), ((2, 0), (0,)), ((1, 0, 2), (0,)), ((2, 1, 0, 2), (0, 3)), ((1, 2, 0, 1, 1), (0,))],
    "inner": [((), ()), ((), (3,)), ((2, 3), ()), ((4,), (4,)), ((3, 4), (4,)), ((4,), (3, 4)), ((2, 4), (3, 4)), ((2, 3, 4), (5, 4)),
              ((2, 1, 3), (2, 3)), ((0,), (0,)), ((2, 0), (3, 0)), ((0, 3), (2, 3)), ((2, 1, 2, 3), (2, 3)), ((1, 2, 1, 2, 3), (3,)),
              ((2, 0, 3), (2, 3)), ((1, 0, 2, 3), (3,)), ((2, 1, 2, 1, 0), (0,))],
    "outer": [((), ()), ((3,), (4,)), ((2, 3), (2,)), ((0,), (3,)), ((2,), (2, 1, 2)), ((1, 2, 2, 1), (3,)), ((2,), (1, 2, 1, 2, 1)),
              ((2, 1, 3), (2,)), ((2, 1, 1, 2, 1), (2,)), ((2, 0), (2,)), ((2, 0, 1), (2,)), ((2, 1, 0, 1), (2,)), ((1, 2, 0, 1, 1), (2,))],
    "tensordot": [((2, 3, 4), (3, 4, 5), 2), ((2, 3), (3, 4), 1), ((2, 3), (4,), 0), ((2, 3, 4), (4, 3, 2), (0, 1, 2, 1)), ((2,), (2,), 1),
                  ((2, 3, 4), (2, 5), (0, 0)), ((3, 4), (5, 4), (1, 1)), ((3, 4, 2), (2, 3, 5), (-1, 0)), ((2, 0), (0, 3), 1),
                  ((2, 3, 2, 2), (2, 2, 3), (1, 2, 2, 0)), ((), (), 0), ((1, 2, 1, 3, 2), (3, 2), 2), ((0, 2), (2, 3), 1), ((0,), (0,), 1),
                  ((2, 0, 3), (3, 2), 1), ((1, 2, 0, 2), (2, 2), 1), ((1, 0, 1, 2, 2), (2,), 1)]}
MIXED = [("int32", "float32"), ("float32", "float64"), ("float16", "float32"), ("bool", "int8"), ("float32", "complex64"),
         ("bfloat16", "float16")]
MIXED_SHAPES = {"matmul": [0, 1, 7, 10], "dot": [3, 6, 8], "vdot": [2], "inner": [6], "outer": [1], "tensordot": [0]}
LAYOUT_PAIRS = [(0, 0), (1, 1), (1, 0), (0, 1), (2, 2), (3, 0), (0, 3), (3, 3), (4, 1), (1, 4), (2, 1)]

ERRORS = {"matmul": [((3, 4), (5, 6)), ((3,), (4,)), ((), (3,)), ((3,), ()), ((2, 3, 4), (3, 4, 5)), ((3, 4), (3,)), ((3,), (4, 2))],
          "dot": [((3, 4), (5, 6)), ((3,), (4,)), ((2, 3, 4), (5, 3, 2)), ((3, 4), (3,))],
          "vdot": [((3,), (4,)), ((2, 3), (5,))],
          "inner": [((3, 4), (5,)), ((3,), (4,)), ((2, 3), (3, 2))],
          "tensordot": [((2, 3), (4, 5), 1), ((2, 3), (3, 2), (0, 0)), ((2, 3), (3, 2), 3)]}


def numbers(name, shape, role):
    """Values whose sums of products keep in range; full-range integers for square cases, so that they wrap."""
    rng = np.random.default_rng([values.SEED, dtypes.IDS[name], role, *shape])
    if name == "bool":
        array = rng.integers(0, 3, shape) == 0
    elif name in dtypes.INTEGERS:
        info = np.iinfo(name)
        wraps = shape in ((17, 9), (9, 13))
        low, high = (info.min, info.max) if wraps else (max(info.min, -9), 9)
        array = rng.integers(low, high, shape, dtype=name, endpoint=True)
    else:
        array = rng.standard_normal(shape)
        if name in dtypes.COMPLEX:
            array = array + 1j * rng.standard_normal(shape)
    return dtypes.convert(name, array)


def with_edges(name, array):
    """`array` with special values in it, as far as they fit. No other operand of these holds a zero that an infinity would
    meet, since some BLAS leave products with 0 out."""
    array = np.array(array)
    eps, subnormal, largest = dtypes.precision(name)
    specials = [np.nan, np.inf, largest, -0.0, subnormal, -np.inf]
    step = max(1, array.size // len(specials))
    array.reshape(-1)[::step][:len(specials)] = specials[:len(array.reshape(-1)[::step])]
    return array


def families(first, second):
    """Both operands in several pairs of layouts."""
    variants = [layouts_of(*first), layouts_of(*second)]
    pairs = []
    for i, j in LAYOUT_PAIRS:
        pair = (min(i, len(variants[0]) - 1), min(j, len(variants[1]) - 1))
        if pair not in pairs:
            pairs.append(pair)
    return [variants[0][i] for i, _ in pairs], [variants[1][j] for _, j in pairs]


def axes_argument(axes):
    """tensordot's axes: an int, or two tuples written one after the other."""
    return axes if isinstance(axes, int) else (axes[:len(axes) // 2], axes[len(axes) // 2:])


def add_broadcast(fixture, function, name, shape, other, axes=None):
    """The first operand as a view with stride 0."""
    axis = next(i for i, extent in enumerate(shape) if extent > 1)
    base = Typed(name, numbers(name, (*shape[:axis], 1, *shape[axis + 1:]), 1))
    second = numbers(name, other, 2)
    family = [(f"{len(shape)}/broadcast", base, [("broadcast", shape)])]
    add_case(fixture, function, (name, name), (shape, other), [np.broadcast_to(base.array, shape), second], axes, family)


def add_case(fixture, function, names, shapes, arrays, axes=None, broadcast=None):
    options = {} if axes is None else {"axes": list(axes) if isinstance(axes, tuple) else axes}
    arguments = {} if axes is None else {"axes": axes_argument(axes)}
    call = getattr(np, function)
    results = calls.attempt(call, [Typed(n, a) for n, a in zip(names, arrays)], **arguments)
    if not isinstance(results, Error):
        (result,) = results
        array, tolerance, native = expected_of(call, arrays, arguments, result)
        if not truth.matches(result.name, result.array, array, native):
            raise AssertionError(f"{function} {names} {shapes}: {calls.mismatch(result, array, native, [])}")
        results = [Result(Typed(result.name, array), tolerance)]
    elif function == "inner":  # NumPy's words for the arrays as they are given: it names the second one transposed
        first, second = shapes
        results.message = f"shapes {first} and {second} not aligned: {first[-1]} (dim {len(first) - 1}) != {second[-1]} (dim {len(second) - 1})"
    first, second = families((names[0], arrays[0]), (names[1], arrays[1]))
    if broadcast:
        first, second = broadcast, second[:1]
    fixture.add(function, [first, second], results, **options)


def expected_of(call, arrays, arguments, result):
    name = result.name
    if not dtypes.is_inexact(name):
        return result.array, truth.exact(), truth.exact()
    wide_type = np.clongdouble if name in dtypes.COMPLEX else np.longdouble
    with np.errstate(all="ignore"):
        wide = np.asarray(call(*[a.astype(wide_type) for a in arrays], **arguments))
        total = np.asarray(call(*[np.abs(a.astype(wide_type)) for a in arrays], **arguments)).real
        count = np.asarray(call(*[np.ones(a.shape) for a in arrays], **arguments))
    narrow = dtypes.convert(name, wide)
    usable = np.isfinite(result.array) & np.isfinite(narrow)
    error = rounding.of_inner_product(count, np.where(np.isfinite(total), total, 0), name in dtypes.COMPLEX)
    native = tolerance = truth.bounds(name, error, 1)
    if name in ("float16", "bfloat16"):
        kind, bound = truth.bounds(name, np.where(np.isfinite(narrow), narrow, 0), 1)
        tolerance = kind, bound + truth.bounds("float32", error, 1)[1]
    if name in dtypes.COMPLEX:  # a BLAS may multiply by 1 + 0i at the end, which makes nan of inf and of what stands beside it
        tolerance, native = ((kind, np.where(np.isfinite(result.array), bound, -np.inf)) for kind, bound in (tolerance, native))
    return np.where(usable, narrow, result.array), tolerance, native


def products():
    fixture = Fixture()
    for function, shapes in SHAPES.items():
        for names in [(name, name) for name in dtypes.NAMES] + MIXED:
            chosen = shapes if names[0] == names[1] else [shapes[i] for i in MIXED_SHAPES[function]]
            ranks = set()
            for first, second, *axes in chosen:
                if names[0] == names[1] and max(first, default=0) > 1 and 0 not in first + second and len(first) not in ranks:
                    ranks.add(len(first))
                    add_broadcast(fixture, function, names[0], first, second, *axes)
                arrays = [numbers(names[0], first, 1), numbers(names[1], second, 2)]
                add_case(fixture, function, names, (first, second), arrays, *axes)
            if names[0] == names[1] and dtypes.is_inexact(names[0]):
                for first, second, *axes in shapes:
                    if 0 in first or 0 in second or first == (17, 9):
                        continue
                    edged = with_edges(names[0], numbers(names[0], first, 1))
                    positive = dtypes.convert(names[1], np.abs(numbers(names[1], second, 2)) + 1)
                    add_case(fixture, function, names, (first, second), [edged, positive], *axes)
    for function, shapes in ERRORS.items():
        for first, second, *axes in shapes:
            arrays = [numbers("float32", first, 1), numbers("float32", second, 2)]
            add_case(fixture, function, ("float32", "float32"), (first, second), arrays, *axes)
    return fixture


def topics():
    return {"products": products}
