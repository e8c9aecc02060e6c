"""Advanced indexing: index arrays and masks mixed with slices, and the functions that take, put and make indices.

`getitem`, `setitem`: operand 0 is the array, option `program` the index: entries between commas, of which "@2" is operand 2,
"n" newaxis, "..." the ellipsis, "1:2:" a slice, and a number an integer. `setitem` has the value as its last operand, option
`op` is "=", "+=" or "*=", or "add", "min", "max" for `ufunc.at`; the result is the whole array. The functions have NumPy's
names, arguments and options; those that write have the whole array as the result.
"""

import math
import warnings

import numpy as np

import dtypes
import truth
import values
from calls import ERRORS
from fixture import Error, Fixture, Result, Typed, Weak, apply, plain
from indexing import numbered, random_slice
from layouts import vector_variants

SHAPES = [(7,), (4, 6), (5, 1), (3, 4, 5), (2, 3, 4, 3), (2, 2, 3, 2, 3), (0,), (3, 0), (2, 0, 3)]
INDEX_TYPES = dtypes.INTEGERS
MODES = ["raise", "wrap", "clip"]


def variants(typed):
    """One array in layouts that all have the same elements at the same indices."""
    a, rank = typed.array, typed.array.ndim
    if rank == 0 or a.size == 0:
        return plain(typed, f"{rank}/{'zero' if a.size == 0 else 'contiguous'}")
    wide = np.repeat(a, 2, axis=-1)
    family = [("contiguous", a, []), ("transposed", a.transpose(), [("transpose", tuple(range(rank))[::-1])]),
              ("stepped", wide, [("index", (Ellipsis, slice(None, None, 2)))]),
              ("reversed", a[::-1, ...], [("index", (slice(None, None, -1), Ellipsis))])]
    return [(f"{rank}/{label}", Typed(typed.name, np.ascontiguousarray(array)), recipe) for label, array, recipe in family]


def entry_text(entry, operand):
    if isinstance(entry, np.ndarray):
        return f"@{operand}"
    if entry is None:
        return "n"
    if entry is Ellipsis:
        return "..."
    if isinstance(entry, slice):
        return ":".join("" if bound is None else str(bound) for bound in (entry.start, entry.stop, entry.step))
    return str(entry)


def encode(entries, first):
    """The text of an index and its arrays as operands, numbered from `first`."""
    texts, operands = [], []
    for entry in entries:
        texts.append(entry_text(entry, first + len(operands)))
        if isinstance(entry, np.ndarray):
            operands.append(plain(Typed(entry.dtype.name, entry)))
    return ",".join(texts), operands


def index_array(rng, extent, shape, wrong=False):
    name = INDEX_TYPES[rng.integers(0, len(INDEX_TYPES))]
    low = 0 if name in dtypes.UNSIGNED else -extent
    if extent == 0:
        shape = (*shape[:-1], 0) if shape else (0,)
        return np.zeros(shape, dtype=name)
    array = rng.integers(low, extent, size=shape)
    if wrong and array.size:
        array.flat[rng.integers(0, array.size)] = extent + int(rng.integers(0, 3))
    return array.astype(name)


def random_index(rng, shape):
    """Entries with one array at least; sometimes out of range, or of shapes that do not fit."""
    common = [(3,), (2,), (2, 3), (1,), (0,), (), (4, 1)][rng.integers(0, 7)]
    entries, axis, arrays = [], 0, 0
    rank = len(shape)
    ellipsis = int(rng.integers(0, rank + 1)) if rng.integers(0, 3) == 0 else -1
    skipped = int(rng.integers(0, rank)) if ellipsis >= 0 else 0
    while axis < rank:
        if axis == ellipsis:
            entries.append(Ellipsis)
            axis += skipped
            ellipsis = -1
            continue
        extent = shape[axis]
        pick = int(rng.integers(0, 14))
        if pick < 6:
            mine = common
            if rng.integers(0, 3) == 0:
                mine = tuple(1 if rng.integers(0, 2) else n for n in common)[int(rng.integers(0, len(common) + 1)):]
            if rng.integers(0, 40) == 0 and arrays < 2:
                mine = (5,)
            entries.append(index_array(rng, extent, mine, wrong=rng.integers(0, 40) == 0))
            arrays += 1
            axis += 1
        elif pick < 8:
            extents = list(shape[axis:axis + int(rng.integers(1, 3))])
            if rng.integers(0, 30) == 0:
                extents[0] += 1
            mask = rng.integers(0, 2, size=extents).astype(bool)
            if common not in ((), (1,)) and arrays and mask.sum():  # as many as the other arrays have, mostly
                mask.flat[np.flatnonzero(mask)[common[-1]:]] = False
            entries.append(mask)
            arrays += 1
            axis += len(extents)
        elif pick < 9 and extent:
            entries.append(int(rng.integers(-extent, extent)))
            axis += 1
        elif pick < 12:
            entries.append(random_slice(rng, extent))
            axis += 1
        elif pick < 13:
            entries.append(None)
        elif rng.integers(0, 3) == 0:
            entries.append(np.array(bool(rng.integers(0, 4))))
            arrays += 1
        else:
            break
    if not any(isinstance(entry, np.ndarray) for entry in entries):
        entries.append(np.array(True))
    return entries


def get(fixture, typed, entries, family=None):
    program, operands = encode(entries, 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)
            result = typed.array[tuple(entries)]
        outcome = [Result(Typed(typed.name, result), truth.exact())]
    except DeprecationWarning:  # indices out of range where there are no elements: not yet an error, here it is one
        return
    except ERRORS as error:
        outcome = Error(error)
    fixture.add("getitem", [family or variants(typed), *operands], outcome, program=program)


UFUNCS = {"add": np.add, "min": np.minimum, "max": np.maximum}


def set_(fixture, typed, entries, value, op="="):
    program, operands = encode(entries, 1)
    array = typed.array.copy()
    given = value.value if isinstance(value, Weak) else value.array
    try:
        with np.errstate(all="ignore"):
            if op == "=":
                array[tuple(entries)] = given
            elif op == "+=":
                array[tuple(entries)] += given
            elif op == "*=":
                array[tuple(entries)] *= given
            else:
                UFUNCS[op].at(array, tuple(entries), given)
        outcome = [Result(Typed(typed.name, dtypes.convert(typed.name, array)), truth.exact())]
    except ERRORS as error:
        if op in UFUNCS and isinstance(error, ValueError):
            return  # ufunc.at has other words, one of them not initialised
        outcome = Error(error)
    if op == "add" and typed.name == "bfloat16" and np.abs(array).max(initial=0) > 256:
        return  # the sums would be rounded, each in another order
    operand = value if isinstance(value, Weak) else plain(value)
    fixture.add("setitem", [variants(typed), *operands, operand], outcome, program=program, op=op)


def random_assignments(fixture, rng, name, count):
    for number in range(count):
        shape = SHAPES[number % 6] if number % 9 else SHAPES[6 + number % 3]
        entries = random_index(rng, shape)
        typed = numbered(name, shape)
        try:
            places = np.arange(math.prod(shape)).reshape(shape)[tuple(entries)]
        except IndexError:
            if all(e.size for e in entries if isinstance(e, np.ndarray)):
                set_(fixture, typed, entries, Weak(name == "bool" or 1))
            continue
        if places.size == 0 and any(isinstance(e, np.ndarray) and e.size and e.dtype != bool for e in entries):
            continue
        unique = len(set(places.ravel().tolist())) == places.size
        op = ["=", "=", "+=", "*=", "add", "min", "max"][rng.integers(0, 7)]
        if name == "bool" or (name in dtypes.COMPLEX and op in ("min", "max")):
            op = "add" if op == "add" else "="
        accumulates = op in UFUNCS
        if (unique or accumulates) and places.ndim:
            kept = [1 if rng.integers(0, 4) == 0 else n for n in places.shape][int(rng.integers(0, places.ndim + 1)):]
            if rng.integers(0, 30) == 0:
                kept = [7, *kept]
            size = math.prod(kept)
            pattern = np.arange(size).reshape(kept) % 5 + 1
            set_(fixture, typed, entries, Typed(name, dtypes.convert(name, pattern % 2 if name == "bool" else pattern)), op)
        else:
            set_(fixture, typed, entries, Weak(True if name == "bool" else 3), op)


def advanced_indexing():
    fixture = Fixture()
    rng = np.random.default_rng(values.SEED + 7)
    for number in range(700):
        shape = SHAPES[number % 6] if number % 9 else SHAPES[6 + number % 3]
        get(fixture, numbered("float32", shape), random_index(rng, shape))
    for name in dtypes.NAMES:
        for number in range(4):
            shape = SHAPES[(number + dtypes.IDS[name]) % 6]
            get(fixture, numbered(name, shape), random_index(rng, shape))
        random_assignments(fixture, rng, name, 120 if name == "float32" else 16)
    return fixture


def call_function(fixture, function, arguments, types, writes=False, **options):
    """`arguments`: a `Typed`, or a `Weak`, each; the first one comes in all layouts. `types`: those of the results."""
    given = [a.value if isinstance(a, Weak) else a.array.copy() for a in arguments]
    settings = {key: value for key, value in options.items() if key not in ("shape", "first_last")}
    try:
        with np.errstate(all="ignore"):
            results = FUNCTIONS[function](*given, **settings)
        if writes:
            results = given[0]
        results = results if isinstance(results, tuple) else (results,)
        if not results:
            return
        outcome = [Result(Typed(name, dtypes.convert(name, r)), truth.exact()) for name, r in zip(types, results, strict=False)]
    except ERRORS as error:
        outcome = Error(error)
    operands = [variants(a) if i == 0 and not isinstance(a, Weak) else a if isinstance(a, Weak) else plain(a) for i, a in enumerate(arguments)]
    fixture.add(function, operands, outcome, **options)


FUNCTIONS = {name: getattr(np, name) for name in ("take", "take_along_axis", "put_along_axis", "put", "putmask", "place", "extract", "compress", "nonzero",
                                                  "flatnonzero", "argwhere", "fill_diagonal", "unravel_index", "tril_indices", "triu_indices", "diag_indices")}
FUNCTIONS["ravel_multi_index"] = lambda *indices, **options: np.ravel_multi_index(indices, **options)
FUNCTIONS["ix_"] = np.ix_
FUNCTIONS["choose"] = lambda a, *choices, **options: np.choose(a, choices, **options)
FUNCTIONS["select"] = lambda *lists, default: np.select(lists[:len(lists) // 2], lists[len(lists) // 2:], default)


def int64(array):
    return Typed("int64", np.asarray(array, dtype=np.int64))


def indexing_layouts():
    """Every cell of the coverage matrix."""
    fixture = Fixture()
    for name in dtypes.NAMES:
        typed = values.vector(name)
        for label, recipe, *_ in vector_variants():
            array = apply(recipe, typed.array)
            family = [(label, typed, recipe)]
            entries = [(np.arange(3) * 7 - 2) % n if n else np.zeros(0, dtype=np.int64) for n in array.shape[:2]] or [np.array(True)]
            get(fixture, Typed(name, array), entries, family)
            indices = np.zeros(0, dtype=np.int64) if array.size == 0 else (np.arange(5) * 11 - 3) % array.size
            outcome = [Result(Typed(name, array.reshape(-1)[indices]), truth.exact())]
            fixture.add("take", [family, plain(int64(indices))], outcome, axis=None, mode="raise")
            fixture.add("take_along_axis", [family, plain(int64(indices))], outcome, axis=None)
    return fixture


def taking():
    fixture = Fixture()
    rng = np.random.default_rng(values.SEED + 8)
    for name in dtypes.NAMES:
        random_taking(fixture, rng, name, 40 if name == "float32" else 5)
    return fixture


def random_taking(fixture, rng, name, count):
    for number in range(count):
        shape = SHAPES[number % 6] if number % 7 else SHAPES[6 + number % 3]
        typed = numbered(name, shape)
        rank = len(shape)
        axis = None if rng.integers(0, 4) == 0 else int(rng.integers(-rank, rank))
        extent = math.prod(shape) if axis is None else shape[axis]
        mode = MODES[rng.integers(0, 3)]
        some = [(3,), (2, 2), (), (0,), (1,)][rng.integers(0, 5)]
        indices = index_array(rng, extent, some, wrong=rng.integers(0, 8) == 0)
        if mode != "raise":
            indices = rng.integers(-20, 20, size=some).astype(np.int64)
        if name != "float32":
            indices = indices.astype(np.int64)
        if math.prod(shape) or indices.size == 0:
            call_function(fixture, "take", [typed, Typed(indices.dtype.name, indices)], [name], axis=axis, mode=mode)
        if axis is not None and math.prod(shape):
            extents = [n if rng.integers(0, 2) else 1 for n in shape]
            extents[axis] = int(rng.integers(0, 4))
            along = index_array(rng, extent, extents, wrong=rng.integers(0, 12) == 0)
            if name != "float32":
                along = along.astype(np.int64)
            call_function(fixture, "take_along_axis", [typed, Typed(along.dtype.name, along)], [name], axis=axis)
            places = np.take_along_axis(np.arange(math.prod(shape)).reshape(shape), along, axis) if (np.abs(along.astype(np.int64)) < extent).all() else None
            unique = places is not None and len(set(places.ravel().tolist())) == places.size
            value = Typed(name, dtypes.convert(name, np.arange(places.size).reshape(places.shape) % 7)) if unique and name != "bool" else Weak(name == "bool" or 2)
            call_function(fixture, "put_along_axis", [typed, Typed(along.dtype.name, along), value], [name], writes=True, axis=axis)
        if math.prod(shape):
            size = math.prod(shape)
            unique = rng.permutation(size)[:int(rng.integers(0, 6))].astype(np.int64)
            unique = np.where(rng.integers(0, 2, size=unique.shape), unique, unique - size)
            if rng.integers(0, 10) == 0 and unique.size:
                unique[0] = size + 3
            few = Typed(name, dtypes.convert(name, np.arange(int(rng.integers(1, 8))) % 5))
            call_function(fixture, "put", [typed, int64(unique), few], [name], writes=True, mode="raise")
            call_function(fixture, "put", [typed, int64([size + 1, -1]), Weak(name == "bool" or 4)], [name], writes=True, mode=MODES[1 + number % 2])
            mask = Typed("bool", rng.integers(0, 2, size=shape).astype(bool))
            call_function(fixture, "place", [typed, mask, few], [name], writes=True)
            call_function(fixture, "putmask", [typed, mask, few], [name], writes=True)
            call_function(fixture, "putmask", [typed, mask, Weak(name == "bool" or 4)], [name], writes=True)
            call_function(fixture, "extract", [mask, typed], [name])
            condition = Typed("bool", rng.integers(0, 2, size=max(0, extent - int(rng.integers(0, 2)))).astype(bool))
            call_function(fixture, "compress", [condition, typed], [name], axis=axis)
        for function, types in (("nonzero", ["int64"] * rank), ("flatnonzero", ["int64"]), ("argwhere", ["int64"])):
            cut = Typed(name, dtypes.convert(name, np.where(rng.integers(0, 2, size=shape), typed.array, 0)))
            call_function(fixture, function, [cut], types)
    for shape, wrap in (((4, 6), False), ((6, 3), False), ((9, 3), True), ((9, 3), False), ((3, 3, 3), False), ((3,), False), ((3, 2, 3), False), ((1, 1), False)):
        call_function(fixture, "fill_diagonal", [numbered(name, shape), Weak(True if name == "bool" else 5)], [name], writes=True, wrap=wrap)
    call_function(fixture, "fill_diagonal", [numbered(name, (5, 4)), Typed(name, dtypes.convert(name, np.array([1, 0])))], [name], writes=True, wrap=False)
    choices = [Typed(name, dtypes.convert(name, np.arange(12).reshape(3, 4) + 3 * k)) for k in range(3)] + [numbered(name, (4,))]
    for mode in MODES:
        call_function(fixture, "choose", [int64(rng.integers(0, 4, size=(3, 4))), *choices], [name], mode=mode)
        call_function(fixture, "choose", [int64(rng.integers(-5, 9, size=(4,))), *choices], [name], mode=mode)
    conditions = [Typed("bool", rng.integers(0, 2, size=(3, 4)).astype(bool)) for _ in range(2)]
    call_function(fixture, "select", [*conditions, choices[0], choices[1]], [name], default=0)
    call_function(fixture, "argwhere", [numbered(name, ())], ["int64"])
    call_function(fixture, "nonzero", [numbered(name, ())], ["int64"])


def making():
    fixture = Fixture()
    rng = np.random.default_rng(values.SEED + 9)
    for name in INDEX_TYPES:
        for shape in ((7,), (3, 4), (2, 3, 4), (1, 5)):
            size = math.prod(shape)
            for order in "CF":
                positions = rng.integers(0, size, size=(2, 3)).astype(name)
                result = np.unravel_index(positions, shape, order=order)
                fixture.add("unravel_index", [variants(Typed(name, positions))], [Result(int64(r), truth.exact()) for r in result], shape=tuple(shape), order=order)
            wrong = np.array([0, size + 1]).astype(name)
            try:
                np.unravel_index(wrong, shape)
            except ValueError as error:
                fixture.add("unravel_index", [plain(Typed(name, wrong))], Error(error), shape=tuple(shape), order="C")
    for dims in ((7,), (3, 4), (2, 3, 4)):
        for mode in MODES:
            for order in "CF":
                for low in (0, -3):
                    indices = [rng.integers(low, n + (0 if low == 0 else 3), size=(2, 3)) for n in dims]
                    try:
                        outcome = [Result(int64(np.ravel_multi_index(indices, dims, mode=mode, order=order)), truth.exact())]
                    except ValueError as error:
                        outcome = Error(error)
                    fixture.add("ravel_multi_index", [variants(int64(indices[0])), *[plain(int64(i)) for i in indices[1:]]], outcome, dims=tuple(dims), mode=mode,
                                order=order)
    for n, m in ((3, None), (4, 6), (5, 2), (0, None), (1, 1), (3, 0)):
        for k in (-7, -2, -1, 0, 1, 3, 9):
            for function in ("tril_indices", "triu_indices"):
                results = FUNCTIONS[function](n, k, m)
                fixture.add(function, [plain(int64(0))], [Result(int64(r), truth.exact()) for r in results], n=n, k=k, m=-1 if m is None else m)
    for n, ndim in ((4, 2), (3, 3), (0, 2), (2, 1)):
        fixture.add("diag_indices", [plain(int64(0))], [Result(int64(r), truth.exact()) for r in np.diag_indices(n, ndim)], n=n, ndim=ndim)
    for arrays in ([int64([0, 2]), int64([1, 1, -1])], [Typed("bool", np.array([True, False, True])), int64([4])], [int64([]), int64([1])], [int64([[1]]), int64([1])]):
        call_function(fixture, "ix_", arrays, ["int64"] * 2)
    return fixture


def topics():
    return {"indexing_layouts": indexing_layouts, "advanced_indexing": advanced_indexing, "taking": taking, "index_arrays": making}
