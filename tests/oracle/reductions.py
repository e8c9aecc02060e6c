"""Reductions and scans: every dtype over axis sets in ranks 0-5, each array in several layouts that mean the same values.

Sums of floats and the like are expected to be the exact ones, rounded, within the bounds of rounding.py, which hold for
any order of operations; NumPy's own result must pass too. NumPy accumulates half in half over all but the last axis and in
`cumsum`; the library does so in float, and must meet the bounds of that.
"""

import math

import numpy as np

import calls
import dtypes
import rounding
import truth
import values
from fixture import Error, Fixture, Result, Typed, plain

SUMS = ["sum", "prod", "mean", "var", "std"]
NAN_SUMS = ["nansum", "nanprod", "nanmean", "nanvar", "nanstd"]
ORDERS = ["min", "max", "argmin", "argmax", "any", "all", "count_nonzero", "nanmin", "nanmax", "nanargmin", "nanargmax"]
SCANS = ["cumsum", "cumprod", "nancumsum", "nancumprod", "cumulative_sum", "cumulative_prod"]

SHAPES = {0: (), 1: (7,), 2: (4, 6), 3: (3, 4, 5), 4: (2, 3, 4, 3), 5: (2, 2, 3, 2, 3)}
AXES = {0: [{}, {"axis": ()}, {"keepdims": True}],
        1: [{}, {"axis": 0}, {"axis": -1, "keepdims": True}],
        2: [{}, {"axis": 0}, {"axis": -1}, {"axis": (0, 1), "keepdims": True}, {"axis": ()}, {"axis": 1, "keepdims": True}],
        3: [{"axis": 0}, {"axis": 1}, {"axis": 2}, {"axis": (0, 2)}, {"axis": (2, 1), "keepdims": True}, {"keepdims": True}],
        4: [{"axis": 1}, {"axis": (0, 2)}, {"axis": (1, -1), "keepdims": True}, {"axis": -1}, {}],
        5: [{"axis": 2}, {"axis": (0, 2, 4)}, {"axis": (1, 3), "keepdims": True}, {"axis": -5}, {}]}
ONE_AXIS = ("argmin", "argmax", "nanargmin", "nanargmax", *SCANS)
EMPTY = [((0,), [{}, {"axis": 0}, {"keepdims": True}]), ((3, 0), [{}, {"axis": 0}, {"axis": 1}]),
         ((2, 0, 3), [{"axis": 1}, {"axis": (0, 2)}, {"axis": 2}]), ((2, 3, 0, 1), [{"axis": (2, 3)}, {"axis": 1}]), ((1, 0, 2, 1, 2), [{"axis": 1}])]
EDGE_SHAPES = [(48,), (6, 8), (3, 2, 8), (2, 3, 2, 4), (2, 3, 2, 2, 2)]
WITH_WHERE = ("sum", "prod", "mean", "var", "std", "min", "max", "any", "all", "nansum", "nanprod", "nanmean", "nanvar", "nanstd")
WITH_INITIAL = ("sum", "prod", "min", "max")
WITH_DDOF = ("var", "std", "nanvar", "nanstd")
RESULT_TYPES = [("int8", "int8"), ("int32", "float64"), ("bool", "int32"), ("float16", "float32"), ("float32", "float64"),
                ("bfloat16", "float32"), ("complex64", "complex128")]
WITH_DTYPE = ("sum", "prod", "mean", "cumsum", "cumprod", "nansum", "nancumsum", "nancumprod")


def logical(name, shape, flavour):
    """Values that suit a reduction: `plain`, `factors` near 1 for products, or `edges` with nan, infinities, signed zeros."""
    size = math.prod(shape)
    rng = np.random.default_rng([values.SEED, dtypes.IDS[name], size, len(flavour)])
    if name == "bool":
        array = rng.integers(0, 4, size) > 0
    elif name in dtypes.INTEGERS:
        info = np.iinfo(name)
        bits = {"plain": 20, "factors": 4, "edges": 62}[flavour]
        array = rng.integers(max(info.min, -(1 << bits)), min(info.max, 1 << bits), size, dtype=np.int64, endpoint=True)
        if flavour == "edges" and size:
            array = array.astype(object)
            array[::3], array[1::4], array[2::7] = info.max, info.min, 0
    else:
        array = rng.uniform(0.5, 1.5, size) * rng.choice([-1, 1], size) if flavour == "factors" else 3 * rng.standard_normal(size)
        if name in dtypes.COMPLEX:
            array = array + 1j * rng.uniform(-1, 1, size)
        if flavour == "edges" and size:
            array = _with_edges(array, name)
    return dtypes.convert(name, array.reshape(shape))


def _with_edges(array, name):
    """Of a 6 x 8 array: columns of all nan, one infinity, both, the largest value, -0 only, one nan, subnormals."""
    grid = array.reshape(6, 8)
    grid[3] = grid[:, 3] = grid[:, 7] = 0.5  # so that no order of multiplication overflows on the way
    grid[3, 3], grid[2, 7] = dtypes.precision(name)[2], -dtypes.precision(name)[2]
    grid[:, 0] = np.nan
    grid[2, 1] = np.inf
    grid[1, 2], grid[4, 2] = -np.inf, np.inf
    grid[:, 4] = -0.0
    grid[5, 5] = np.nan
    grid[0, 6], grid[1, 6] = dtypes.precision(name)[1], 0.0
    if name in dtypes.COMPLEX:
        grid[0, 7] = complex(1, np.nan)
    return grid.reshape(-1)


def layouts_of(name, array):
    """One family: the same values in every layout of their rank."""
    rank = array.ndim
    if rank == 0:
        return [("0/contiguous", Typed(name, array.reshape(1)), [("index", (0,))])]
    variants = [(f"{rank}/contiguous", Typed(name, array), [])]
    if array.size == 0:
        return [(f"{rank}/zero", Typed(name, array), [])]
    if rank > 1:
        turned = tuple(reversed(range(rank)))
        variants.append((f"{rank}/transposed", Typed(name, array.transpose(turned).copy()), [("transpose", turned)]))
        swapped = (*range(1, rank), 0)
        variants.append((f"{rank}/mixed", Typed(name, array.transpose(swapped)[::-1].copy()),
                         [("index", (slice(None, None, -1),)), ("transpose", tuple(np.argsort(swapped).tolist()))]))
    gaps = np.repeat(array, 2, axis=-1)
    gaps[..., 1::2] = gaps[..., ::-1][..., ::2] if name == "bool" else dtypes.convert(name, np.array(7))
    variants.append((f"{rank}/stepped", Typed(name, gaps), [("index", (Ellipsis, slice(None, None, 2)))]))
    back = (slice(None, None, -1),) * rank
    variants.append((f"{rank}/reversed", Typed(name, array[back].copy()), [("index", back)]))
    return variants


def broadcasts(name, flavour):
    """(family of one, array) of stride-0 layouts."""
    for shape, start in (((5,), (1,)), ((6, 4), (1, 4)), ((3, 4, 5), (3, 1, 5)), ((2, 3, 4, 3), (2, 3, 1, 1)),
                         ((2, 2, 3, 2, 3), (1, 2, 3, 1, 3)), ((40, 30), (30,))):
        base = Typed(name, logical(name, start, flavour))
        yield [(f"{len(shape)}/broadcast", base, [("broadcast", shape)])], np.broadcast_to(base.array, shape)


def expected_of(function, array, options, result):
    """(array, tolerance, tolerance that NumPy must meet) of one result; rounding.py has the bounds."""
    name = result.name
    if not dtypes.is_inexact(name):
        return result.array, truth.exact(), truth.exact()
    if function in ("min", "max", "nanmin", "nanmax"):
        return result.array, truth.either_zero(name), truth.either_zero(name)
    keep = {key: value for key, value in options.items() if key != "dtype"}
    with np.errstate(all="ignore"):
        wide_array = array.astype(np.clongdouble if np.iscomplexobj(array) else np.longdouble)
        wide = wide_result(function, wide_array, keep)
        narrow = dtypes.convert(name, wide)
        usable = np.isfinite(result.array) & np.isfinite(narrow)
        if name == "float16":  # the library computes in float and so may answer where NumPy overflows on the way
            usable = np.ones(usable.shape, dtype=bool)
        native = bounds_of(function, wide_array, wide, keep, name, array.dtype)
        if name not in ("float16", "bfloat16"):
            tolerance = native
        else:  # accumulated in float and rounded once
            kind, bound = truth.bounds(name, np.where(np.isfinite(narrow), narrow, 0), 1)
            tolerance = kind, bound + bounds_of(function, wide_array, wide, keep, "float32", array.dtype)[1]
    overflows = usable & ~np.isfinite(result.array)
    return np.where(usable, narrow, result.array), tolerance, (native[0], np.where(overflows, np.nan, native[1]))


def wide_result(function, wide_array, options):
    if function.startswith("nancum"):
        wide_array = np.where(np.isnan(wide_array), 0 if function == "nancumsum" else 1, wide_array)
        function = function.removeprefix("nan")
    return getattr(np, function)(wide_array, **options)


def bounds_of(function, wide_array, wide, options, computed, source):
    """The class of a result that is computed in dtype `computed` from elements of `source`, in any order."""
    base = function.removeprefix("nan")
    takes_part = np.broadcast_to(options.get("where", True), wide_array.shape)
    if base != function:
        takes_part = takes_part & ~np.isnan(wide_array)
    parts = (wide_array.real, wide_array.imag) if np.iscomplexobj(wide_array) else (wide_array,)
    # Parts that are not finite count as 0: the results that they reach are not finite either, and exact.
    magnitude = sum(np.where(takes_part & np.isfinite(part), np.abs(part), 0) for part in parts)
    where = {"axis": options.get("axis"), **({"keepdims": options.get("keepdims", False)} if base not in SCANS else {})}
    combine = np.sum if base not in SCANS else np.cumulative_sum if base.startswith("cumulative") else np.cumsum
    if "include_initial" in options:
        where["include_initial"] = True
    count = combine(takes_part.astype(np.longdouble), **where) + ("initial" in options)
    total = combine(magnitude, **where) + abs(options.get("initial", 0))
    is_complex = np.iscomplexobj(wide_array)
    if base in ("sum", "cumsum", "cumulative_sum"):
        error = rounding.of_sum(count, total)
    elif base in ("prod", "cumprod", "cumulative_prod"):
        error = rounding.of_product(count, np.abs(wide), is_complex)
    elif base == "mean":
        error = rounding.of_mean(count, total)
    else:
        inexact_source = source.kind in "iu" and source.itemsize == 8
        error = rounding.of_variance(count, options.get("ddof", 0), np.abs(wide), total, dtypes.precision(computed)[0],
                                     root=base == "std", converted=inexact_source)
    kind, bound = truth.bounds(computed, np.where(np.isfinite(error), error, 0), 1)
    if is_complex and "prod" in base:  # what becomes of infinities depends on the order: (1 + 0i) inf is inf + nan i
        all_finite = combine(~np.isfinite(wide_array) & takes_part, **where) == 0
        bound = np.where(np.isfinite(dtypes.convert(computed, wide)) | (all_finite & (count <= 2)), bound, -np.inf)
    return kind, bound


def numpy_options(options):
    return {key: (np.dtype(value) if key == "dtype" else tuple(value) if key == "axis" and isinstance(value, (tuple, list)) else value)
            for key, value in options.items()}


def add_case(fixture, function, name, family, array, options, mask=None):
    """One call on every layout of `array`."""
    call = getattr(np, function)
    arguments = numpy_options(options)
    if mask is not None:
        arguments["where"] = mask.array
    operands = [family] + ([] if mask is None else [plain(mask, family[0][0])])
    source = "float32" if "dtype" in options and name == "bfloat16" else name  # so that nothing is rounded to bfloat16
    results = calls.attempt(lambda a: call(a, **arguments), [Typed(source, array)])
    if not isinstance(results, Error):
        expected = []
        for result in results:
            if "dtype" in options:
                result = Typed(options["dtype"], result.array)
            out, tolerance, native = expected_of(function, array, arguments, result)
            expected.append(Result(Typed(result.name, out), tolerance))
            check(function, name, result, out, native, options)
        results = expected
    fixture.add(function, operands, results, **{key: list(v) if isinstance(v, tuple) else v for key, v in options.items()})


def check(function, name, result, expected, tolerance, options):
    """NumPy's own result is within tolerance."""
    if not truth.matches(result.name, result.array, expected, tolerance):
        raise AssertionError(f"{function} {name} {options}: {calls.mismatch(result, expected, tolerance, [])}")


def flavour_of(function):
    return "factors" if "prod" in function else "plain"


def topic(functions):
    fixture = Fixture()
    for function in functions:
        for name in dtypes.NAMES:
            plain_cases(fixture, function, name)
            if function not in SCANS:
                option_cases(fixture, function, name)
        for name, result in RESULT_TYPES if function in WITH_DTYPE else []:
            array = logical(name, SHAPES[2], flavour_of(function))
            for options in ({"axis": 0}, {}):
                add_case(fixture, function, name, layouts_of(name, array), array, {**options, "dtype": result})
        error_cases(fixture, function)
    return fixture


def allowed(function, options):
    return function not in ONE_AXIS or not isinstance(options.get("axis"), tuple)


def plain_cases(fixture, function, name):
    for rank, shape in SHAPES.items():
        array = logical(name, shape, flavour_of(function))
        for options in filter(lambda o: allowed(function, o), AXES[rank]):
            if function in SCANS:
                if "keepdims" in options:
                    continue
                options = {key: value for key, value in options.items() if key == "axis"}
            add_case(fixture, function, name, layouts_of(name, array), array, options)
            if function.startswith("cumulative"):
                add_case(fixture, function, name, layouts_of(name, array), array, {**options, "include_initial": True})
    edge_cases(fixture, function, name)
    for family, array in broadcasts(name, flavour_of(function)):
        if function in SCANS and array.size > 1000:
            continue
        for options in ({"axis": 0}, {"axis": -1}) if array.ndim == 2 else ({"axis": array.ndim // 2},):
            add_case(fixture, function, name, family, array, options)
    for shape, choices in EMPTY:
        array = logical(name, shape, "plain")
        for options in filter(lambda o: allowed(function, o), choices):
            if function in SCANS and "keepdims" in options:
                continue
            add_case(fixture, function, name, layouts_of(name, array), array, options)


def edge_cases(fixture, function, name):
    """nan, infinities, signed zeros, extremes and subnormals in every rank and layout."""
    edges = logical(name, (6, 8), "edges")
    if function.startswith("nanarg"):  # raises for a slice of nan alone, which has its cases elsewhere
        add_case(fixture, function, name, layouts_of(name, edges), edges, {"axis": 0})
        edges[:, 0] = np.where(np.arange(6) % 2 == 0, edges[:, 0], edges[:, 7])
    for shape in EDGE_SHAPES:
        array = edges.reshape(shape)
        for options in ({"axis": 0}, {"axis": -1}) if len(shape) == 2 else ({"axis": len(shape) // 2},):
            add_case(fixture, function, name, layouts_of(name, array), array, options)
    add_case(fixture, function, name, layouts_of(name, edges), edges, {})
    for value in values.special(name):  # a rank-0 array of each
        single = dtypes.convert(name, np.array(value))
        add_case(fixture, function, name, layouts_of(name, single), single, {})
    for shape, start in (((5,), (1,)), ((2, 48), (48,)), ((6, 2, 8), (6, 1, 8)), ((2, 6, 2, 4), (6, 2, 4)), ((2, 3, 2, 2, 4), (3, 2, 2, 4))):
        bases = [edges.reshape(start)] if start != (1,) else [dtypes.convert(name, np.array([value])) for value in values.special(name)]
        for base in bases:
            typed = Typed(name, base)
            family = [(f"{len(shape)}/broadcast", typed, [("broadcast", shape)])]
            add_case(fixture, function, name, family, np.broadcast_to(base, shape), {"axis": 0})


def option_cases(fixture, function, name):
    array = logical(name, SHAPES[3], flavour_of(function))
    family = layouts_of(name, array)
    initial = {"initial": 3} if function in ("min", "max") or function in WITH_INITIAL else {}
    if function in WITH_INITIAL and name != "bool":
        for options in ({"axis": 1, **initial}, {"axis": (0, 2), "keepdims": True, **initial}):
            add_case(fixture, function, name, family, array, options)
        empty = logical(name, (3, 0), "plain")
        add_case(fixture, function, name, layouts_of(name, empty), empty, {"axis": 1, **initial})
    if function in WITH_WHERE:
        rng = np.random.default_rng([values.SEED, 3])
        needed = {"initial": 1} if function in ("min", "max") else {}
        if needed and name == "bool":
            needed = {"initial": True}
        for mask_shape in ((3, 4, 5), (4, 1), (5,)):
            mask = Typed("bool", rng.integers(0, 3, mask_shape) > 0)
            for options in ({"axis": 1}, {"axis": (0, 2)}, {}):
                add_case(fixture, function, name, family, array, {**options, **needed}, mask)
        edges = logical(name, (6, 8), "edges")
        mask = Typed("bool", rng.integers(0, 3, (6, 8)) > 0)
        for options in ({"axis": 0}, {"axis": 1}):
            add_case(fixture, function, name, layouts_of(name, edges), edges, {**options, **needed}, mask)
        if function in WITH_DDOF:
            few = Typed("bool", rng.integers(0, 3, (3, 4, 5)) == 0)
            for options in ({"axis": 0, "ddof": 1}, {"axis": 2, "ddof": 2}):
                add_case(fixture, function, name, family, array, options, few)
        none = Typed("bool", np.zeros(5, dtype=bool))
        add_case(fixture, function, name, family, array, {"axis": 2, **needed}, none)
    if function in WITH_DDOF:
        for options in ({"axis": 1, "ddof": 1}, {"ddof": 2}, {"axis": 0, "ddof": 3, "keepdims": True}, {"axis": 0, "ddof": 5}):
            add_case(fixture, function, name, family, array, options)


def error_cases(fixture, function):
    array = logical("float32", (3, 4), "plain")
    family = plain(Typed("float32", array))
    for options in ({"axis": 2}, {"axis": -3}) + (({"axis": (0, 0)}, {"axis": (0, -2)}, {"axis": (0, 5)}) if function not in ONE_AXIS else ()):
        add_case(fixture, function, "float32", family, array, options)
    if function in WITH_WHERE:
        mask = Typed("bool", np.ones((5,), dtype=bool))
        needed = {"initial": 1} if function in ("min", "max") else {}
        add_case(fixture, function, "float32", family, array, {"axis": 0, **needed}, mask)
        if needed:
            add_case(fixture, function, "float32", family, array, {"axis": 0}, Typed("bool", np.ones((4,), dtype=bool)))


def topics():
    return {"reduce_sums": lambda: topic(SUMS), "reduce_nan": lambda: topic(NAN_SUMS), "reduce_orders": lambda: topic(ORDERS), "scans": lambda: topic(SCANS)}
