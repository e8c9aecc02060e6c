"""Basic indexing, views and assignment: random programs and the errors of each.

`index`: the recipe of the operand is the program; the result is the view's elements.
`assign`: operand 0 names the target by a recipe over an array, operand 1 the value; option `op` is "=", "+=", "-=" or
"*="; the result is the whole array afterwards. With option `own` the value is a view of the target's own array.
"""

import math

import numpy as np

import dtypes
import truth
import values
from calls import ERRORS
from fixture import Error, Fixture, Result, Typed, Weak, apply, plain

SHAPES = [(), (1,), (7,), (4, 6), (5, 1), (3, 4, 5), (2, 3, 4, 3), (2, 2, 3, 2, 3), (0,), (3, 0), (2, 0, 3)]
FAR = [2**62, -2**62, 2**31, 1000, -1000]


def numbered(name, shape):
    """Elements that tell where they came from."""
    count = math.prod(shape)
    array = np.arange(count).reshape(shape)
    if name == "bool":
        array = (array * 7 // 3) % 2
    return Typed(name, dtypes.convert(name, array + (0.25j * array if name in dtypes.COMPLEX else 0)))


def random_slice(rng, extent):
    def bound():
        pick = rng.integers(0, 10)
        if pick < 3:
            return None
        if pick == 3:
            return int(rng.choice(FAR))
        return int(rng.integers(-extent - 2, extent + 3))

    step = [None, 1, 2, 3, -1, -2, -3, int(rng.choice([5, -7, 2**62, -2**62]))][rng.integers(0, 8)]
    return slice(bound(), bound(), step)


def random_program(rng, shape):
    """Entries of one index expression, sometimes out of range."""
    entries = []
    used = int(rng.integers(0, len(shape) + 1))
    axes = list(range(used))
    tail = int(rng.integers(0, used + 1)) if rng.integers(0, 2) else used  # entries after an ellipsis
    for position, axis in enumerate(axes):
        if position == tail:
            entries.append(Ellipsis)
        extent = shape[axis if position < tail else len(shape) - used + axis]
        if rng.integers(0, 3) == 0 and extent:
            entries.append(int(rng.integers(-extent, extent)) if rng.integers(0, 30) else extent)
        else:
            entries.append(random_slice(rng, extent))
        if rng.integers(0, 6) == 0:
            entries.append(None)
    if not axes and rng.integers(0, 2):
        entries.append(Ellipsis)
    return ("index", tuple(entries))


def random_recipe(rng, shape):
    """One or two index steps, sometimes with a transpose between."""
    recipe = [random_program(rng, shape)]
    while True:
        try:
            view = apply(recipe, np.empty(shape, dtype=np.int8))
        except IndexError:
            return recipe
        if len(recipe) > 2 or rng.integers(0, 3):
            return recipe
        if view.ndim > 1 and rng.integers(0, 2):
            recipe = [*recipe, ("transpose", tuple(rng.permutation(view.ndim).tolist()))]
        else:
            recipe = [*recipe, random_program(rng, view.shape)]


def label(shape, layout="contiguous"):
    return f"{len(shape)}/{'zero' if 0 in shape else layout}"


def add_index(fixture, typed, recipe):
    family = [(label(typed.array.shape), typed, recipe)]
    try:
        array = apply(recipe, typed.array)
    except ERRORS as error:
        fixture.add("index", [family], Error(error))
        return
    fixture.add("index", [family], [Result(Typed(typed.name, array), truth.exact())])


def indexing():
    fixture = Fixture()
    rng = np.random.default_rng(values.SEED)
    for count in range(1200):
        shape = SHAPES[count % len(SHAPES)]
        add_index(fixture, numbered("int16", shape), random_recipe(rng, shape))
    for name in dtypes.NAMES:
        for _ in range(6):
            shape = SHAPES[rng.integers(3, 8)]
            add_index(fixture, numbered(name, shape), random_recipe(rng, shape))
    table = numbered("int16", (3, 4))
    three = numbered("int16", (2, 3, 4))
    newaxis = None
    for recipe in [("index", (0, 0, 0)), ("index", (3,)), ("index", (-4,)), ("index", (0, 4)), ("index", (0, -5)), ("index", (Ellipsis, Ellipsis)),
                   ("index", (slice(None, None, 0),)), ("index", (slice(None), slice(1, 2, 0))), ("index", (newaxis, 0, newaxis, 9)), ("index", (2**62,)),
                   ("index", (0, Ellipsis, 0, 1)), ("transpose", (0,)), ("transpose", (0, 0)), ("transpose", (0, 2)), ("transpose", (1, -1)),
                   ("transpose", (-1, -2)), ("transpose", (-3, 0)), ("reshape", (5, 2)), ("reshape", (-1, 5)), ("reshape", (-1, -1)), ("reshape", (2, -1)), ("reshape", (4, 3)),
                   ("reshape", (-1,)), ("reshape", (2, 3, 2, 1)), ("broadcast", (2, 4)), ("broadcast", (4,)), ("broadcast", (2, 3, 4)), ("broadcast", (3, 3))]:
        add_index(fixture, table, [recipe])
    for recipe in [[("index", (slice(None, None, 2),)), ("reshape", (3, 4))], [("transpose", (2, 0, 1)), ("reshape", (8, 3))],
                   [("index", (slice(None), 1)), ("broadcast", (3, 2, 4))], [("index", (Ellipsis, slice(None, None, -1))), ("reshape", (6, -1))],
                   [("index", (slice(0, 0),)), ("reshape", (0, 5))], [("index", (slice(0, 0),)), ("reshape", (-1, 0))], [("index", (0, 0, 0)), ("broadcast", (2, 2))]]:
        add_index(fixture, three, recipe)
    return fixture


def perform(target, op, value):
    with np.errstate(all="ignore"):
        if op == "=":
            target[...] = value
        elif op == "+=":
            target += value
        elif op == "-=":
            target -= value
        else:
            target *= value


def add_assign(fixture, typed, recipe, value, op="=", value_recipe=(), own=False):
    """`value`: a Typed, a Weak, or (with `own`) nothing: the view `value_recipe` of the target's array."""
    array = typed.array.copy()
    target_family = [(label(typed.array.shape), typed, list(recipe))]
    try:
        target = apply(recipe, array)
        source = apply(value_recipe, array) if own else value.value if isinstance(value, Weak) else value.array
        perform(target, op, source)
        outcome = [Result(Typed(typed.name, dtypes.convert(typed.name, array)), truth.exact())]
    except ERRORS as error:
        outcome = Error(error)
    if own:
        operand = [(label(typed.array.shape), typed, list(value_recipe))]
    else:
        operand = value if isinstance(value, Weak) else plain(value)
    fixture.add("assign", [target_family, operand], outcome, op=op, **({"own": True} if own else {}))


def assignment():
    fixture = Fixture()
    rng = np.random.default_rng(values.SEED + 1)
    for count in range(400):
        shape = SHAPES[count % len(SHAPES)]
        recipe = random_recipe(rng, shape)
        try:
            view = apply(recipe, np.empty(shape, dtype=np.int8))
        except IndexError:
            continue
        kept = [1 if rng.integers(0, 4) == 0 else n for n in np.shape(view)][int(rng.integers(0, np.ndim(view) + 1)):]
        name = dtypes.NAMES[count % len(dtypes.NAMES)] if count % 3 == 0 else "int16"
        value = numbered(name, tuple(kept))
        op = ["=", "=", "+=", "*=", "-="][rng.integers(0, 5)]
        if name == "bool" or (count % 10 == 0 and op != "="):
            op = "="
        value = Typed(name, dtypes.convert(name, value.array + (1 if name != "bool" else 0)))
        add_assign(fixture, numbered(name, shape), recipe, value, op)
    pairs = [((9,), [("index", (slice(1, None),))], [("index", (slice(None, -1),))]), ((9,), [("index", (slice(None, -1),))], [("index", (slice(1, None),))]),
             ((9,), [], [("index", (slice(None, None, -1),))]), ((9,), [("index", (slice(None, None, 2),))], [("index", (slice(4, None),))]),
             ((9,), [("index", (slice(None, None, -2),))], [("index", (slice(None, None, 2),))]), ((4, 4), [], [("transpose", (1, 0))]),
             ((4, 4), [("index", (slice(1, None),))], [("index", (slice(None, -1),))]), ((4, 4), [], [("index", (slice(None, None, -1), slice(None, None, -1)))]),
             ((4, 4), [], [("index", (0,))]), ((4, 4), [], [("index", (slice(None), slice(1, 2)))]), ((4, 4), [("index", (0,))], [("index", (slice(None), 1))]),
             ((3, 3, 3), [], [("transpose", (2, 0, 1))]), ((3, 3, 3), [("index", (Ellipsis, 0))], [("index", (1,))]), ((2, 3, 2, 3), [], [("transpose", (2, 3, 0, 1))]),
             ((9,), [], []), ((9,), [("index", (slice(2, 7),))], [("index", (4,))])]
    for name in ("int16", "float32", "float64", "complex64", "uint8"):
        for shape, recipe, value_recipe in pairs:
            for op in ("=", "+=", "-=", "*="):
                add_assign(fixture, numbered(name, shape), recipe, None, op, value_recipe, own=True)
    every = [("index", (Ellipsis, slice(None, None, 2)))]
    for target, source in (("float32", "float64"), ("int16", "int64"), ("int8", "int32"), ("complex64", "float64"), ("float16", "float32"), ("float64", "int64"),
                           ("float32", "bool"), ("complex128", "complex64"), ("bfloat16", "float32"), ("int64", "uint8"), ("float16", "int8")):
        value = values.short(source, 24)
        for op in ("=", "+="):
            if op == "=" or target != "bfloat16":
                add_assign(fixture, numbered(target, (2, 48)), every, value, op)
    for name, scalar in (("int8", 100), ("int8", 300), ("uint8", -1), ("uint8", 255), ("float16", 2), ("float32", 2.5), ("float32", 1e300), ("complex64", 2.5),
                         ("complex64", 1j), ("bool", True), ("int64", 2**40), ("bfloat16", 1.00390625)):
        for op in ("=", "+=") if name != "bool" else ("=",):
            add_assign(fixture, numbered(name, (4, 6)), [("index", (slice(1, 3), slice(None, None, -2)))], Weak(scalar), op)
    table = numbered("float32", (3, 4))
    for shape in ((3,), (4, 3), (2, 4), (2, 3, 4), (5,), (0,)):
        for op in ("=", "+="):
            add_assign(fixture, table, [], numbered("float32", shape), op)
    add_assign(fixture, table, [], numbered("float32", (1, 3, 4)))  # a leading 1 may be dropped by =
    add_assign(fixture, table, [("index", (slice(0, 0),))], numbered("float32", (3,)))
    return fixture


def topics():
    return {"indexing": indexing, "assignment": assignment}
