"""Joining, splitting, repeating, rearranging, editing and padding arrays, and building matrices and grids.

Every operand is the same array in several layouts, so one result is expected of all. Elements are numbered: they tell
where they came from.
"""

import itertools

import numpy as np

import calls
import dtypes
import indexing
import truth
from calls import ERRORS
from fixture import Error, Fixture, Result, Typed, Weak

class Striped(tuple):
    """The shape of an array that repeats its first row, so that it can be a broadcast view."""


def numbered(name, shape):
    if not isinstance(shape, Striped):
        return indexing.numbered(name, shape)
    row = indexing.numbered(name, shape[1:])
    return Typed(name, np.broadcast_to(row.array, shape))


SHAPES = [(), (1,), (5,), (2, 3), (3, 1), (2, 3, 2), (2, 1, 2, 2), (1, 2, 2, 1, 2), (0,), (2, 0), (0, 3, 2), Striped((3, 2))]
MIXED = [("int8", "uint8"), ("int32", "float32"), ("bool", "int16"), ("float16", "bfloat16"), ("float32", "complex64"), ("uint64", "int64")]
LAYOUTS = 5


def layouts_of(typed):
    """The array as views of five arrays that hold its elements in other orders."""
    array, rank = typed.array, typed.array.ndim
    def made(layout, pool, *recipe):
        return f"{rank}/{'zero' if array.size == 0 else layout}", Typed(typed.name, np.ascontiguousarray(pool).reshape(np.shape(pool))), list(recipe)
    plain = made("contiguous", array)
    if rank == 0:
        return [plain] * LAYOUTS
    back = slice(None, None, -1)
    turned = ("transpose", tuple(reversed(range(rank))))
    reversed_ = made("reversed", array[(back,) * rank], ("index", (back,) * rank))
    spread = np.repeat(array, 2, axis=-1)
    spread[..., 1::2] = 0
    stepped = made("stepped", spread, ("index", (Ellipsis, slice(None, None, 2))))
    last = plain
    if array.size and array.shape[0] > 1 and (array == array[:1]).all():
        last = made("broadcast", array[:1], ("broadcast", array.shape))
    elif rank > 1:
        last = made("mixed", array[back].T, turned, ("index", (back,)))
    return [plain, reversed_, made("transposed", array.T, turned) if rank > 1 else plain, stepped, last]


def convert(result, typed_operands):
    name = calls.result_name(typed_operands, result)
    return Typed(name, dtypes.convert(name, result))


def add(fixture, function, call, operands, tolerance=None, encode=None, **options):
    """A case for all layouts; `options` are NumPy's keyword arguments, and what the fixture says unless `encode` does."""
    arguments = [o.value if isinstance(o, Weak) else o.array for o in operands]
    typed = [o for o in operands if not isinstance(o, Weak)]
    try:
        with np.errstate(all="ignore"):
            result = np.asarray(call(*arguments, **options))
        expected = convert(result, typed)
        outcome = [Result(expected, tolerance(expected.name) if tolerance else truth.exact())]
    except (*ERRORS, ZeroDivisionError) as error:
        outcome = Error(error)
    families = [o if isinstance(o, Weak) else layouts_of(o) for o in operands]
    fixture.add(function, families, outcome, **(options if encode is None else encode))


def shapes_of(name, shapes):
    """Arrays whose numbers go on from one to the next."""
    made, start = [], 0
    for shape in shapes:
        typed = numbered(name, shape)
        if name != "bool":
            typed = Typed(name, dtypes.convert(name, typed.array + start))
        start += 10
        made.append(typed)
    return made


def sequence(function):
    return lambda *arrays, **options: function(arrays, **options)


CONCATENATIONS = [([(2,), (3,)], 0), ([(2, 3), (1, 3)], 0), ([(2, 3), (2, 2)], 1), ([(2, 3), (2, 2)], -1), ([(2, 3), (4,), ()], None), ([(0,), (3,)], 0),
                  ([(2, 0), (2, 3), (2, 1)], 1), ([(2, 2, 2), (2, 1, 2), (2, 3, 2)], 1), ([(1, 2, 1, 2), (1, 2, 3, 2)], 2), ([(2, 1, 2, 1, 2)] * 2, 4),
                  ([(5,)], 0), ([(), ()], None), ([(0, 3), (0, 3)], 0), ([Striped((3, 2)), (1, 2)], 0)]
FAILING_CONCATENATIONS = [([(), ()], 0), ([(2,), (2, 3)], 0), ([(2, 3), (2, 4)], 0), ([(2,), (3,)], 1), ([(2, 3), (3, 3)], -3), ([(2, 3, 4), (2, 5, 3)], 1)]
STACKS = [([(3,), (3,)], 0), ([(3,)] * 3, 1), ([(2, 3)] * 2, 1), ([(2, 3)] * 2, -1), ([(), ()], 0), ([(0, 2)] * 2, 1), ([(2, 1, 2)] * 2, 2), ([(1, 2, 1, 2)] * 2, -2), ([(1, 2, 1, 2, 1)] * 2, 0), ([Striped((3, 2))] * 2, 1)]
PILES = {"vstack": [[(3,), (3,)], [(2, 3), (3,)], [(), ()], [(2, 2, 2), (1, 2, 2)], [(0, 3), (2, 3)], [(2, 1, 2, 2), (1, 1, 2, 2)], [Striped((3, 2)), (2,)], [(1, 2, 1, 2, 1)] * 2],
         "hstack": [[(3,), (2,)], [(2, 3), (2, 1)], [(), (2,)], [(2, 2, 2), (2, 1, 2)], [(2, 0), (2, 2)], [(2, 1, 2, 2), (2, 2, 2, 2)], [Striped((3, 2)), (3, 1)], [(1, 2, 1, 2, 1)] * 2],
         "dstack": [[(3,), (3,)], [(2, 3), (2, 3)], [(), ()], [(2, 2, 2), (2, 2, 1)], [(2, 0), (2, 0)], [(2, 1, 2, 2), (2, 1, 1, 2)], [Striped((3, 2)), (3, 2)], [(1, 2, 1, 2, 1)] * 2],
         "column_stack": [[(3,), (3,)], [(3,), (3, 2)], [(), ()], [(2, 3), (2, 1)], [(0,), (0,)], [(2, 2, 2), (2, 1, 2)], [Striped((3, 2)), (3,)], [(2, 1, 2, 2), (2, 2, 2, 2)], [(1, 2, 1, 2, 1)] * 2]}
FAILING_PILES = {"vstack": [[(3,), (2,)], [(2, 3), (2, 3, 1)]], "hstack": [[(2, 3), (3, 3)], [(2,), (2, 2)]], "dstack": [[(2,), (3,)], [(1, 2), (3, 1)]],
                 "column_stack": [[(3,), (2,)], [(2, 2), (2, 2, 2)]]}


def joining():
    fixture = Fixture()
    for name in dtypes.NAMES:
        for shapes, axis in CONCATENATIONS:
            add(fixture, "concatenate", sequence(np.concatenate), shapes_of(name, shapes), axis=axis)
        for shapes, axis in STACKS:
            add(fixture, "stack", sequence(np.stack), shapes_of(name, shapes), axis=axis)
        for function, cases in PILES.items():
            for shapes in cases:
                add(fixture, function, sequence(getattr(np, function)), shapes_of(name, shapes))
        for shapes, axis in [([(2,), (3,)], None), ([(2, 3), (2, 2)], 1), ([(2, 3), (4,)], None), ([(0,), (2,)], 0), ([(), (2,)], None), ([Striped((3, 2)), (1, 2)], 0), ([(2, 1, 2)] * 2, 1), ([(2, 1, 2, 2)] * 2, -1), ([(1, 2, 1, 2, 1)] * 2, 3)]:
            add(fixture, "append", np.append, shapes_of(name, shapes), axis=axis)
        row, corner = shapes_of(name, [(3,), ()])
        square, tall, flat = shapes_of(name, [(2, 2), (2, 1), (1, 2)])
        add(fixture, "block", lambda a, b, c, d: np.block([[a, b], [c, d]]), [square, tall, flat, corner], encode={"rows": 2})
        add(fixture, "block", lambda a, b: np.block([a, b]), [row, corner], encode={"rows": 1})
        for shapes in ([(2, 2, 1), (2, 2, 2)], [Striped((3, 2)), (3, 0)], [(0, 2), (0, 1)], [(2, 1, 2, 2)] * 2, [(1, 2, 1, 2, 1)] * 2, [(), ()]):
            add(fixture, "block", lambda a, b: np.block([[a, b]]), shapes_of(name, shapes), encode={"rows": 2})
    for names in MIXED:
        for shapes, axis in CONCATENATIONS[:6]:
            first, second = shapes_of(names[0], shapes[:1])[0], shapes_of(names[1], shapes[1:2])[0]
            add(fixture, "concatenate", sequence(np.concatenate), [first, second], axis=axis)
        add(fixture, "stack", sequence(np.stack), [numbered(names[0], (2, 3)), numbered(names[1], (2, 3))], axis=1)
    for name in ("int16", "float32"):
        for shapes, axis in FAILING_CONCATENATIONS:
            add(fixture, "concatenate", sequence(np.concatenate), shapes_of(name, shapes), axis=axis)
        for shapes, axis in [([(2,), (3,)], 0), ([(2, 3)] * 2, 3), ([(2, 3)] * 2, -4), ([(), ()], 1)]:
            add(fixture, "stack", sequence(np.stack), shapes_of(name, shapes), axis=axis)
        for function, cases in FAILING_PILES.items():
            for shapes in cases:
                add(fixture, function, sequence(getattr(np, function)), shapes_of(name, shapes))
        add(fixture, "append", np.append, shapes_of(name, [(2, 3), (3,)]), axis=0)
        broken = shapes_of(name, [(2, 2), (3, 1), (1, 2), (1, 2)])
        add(fixture, "block", lambda a, b, c, d: np.block([[a, b], [c, d]]), broken, encode={"rows": 2})
    return fixture


def parts(fixture, function, call, typed, cuts, encode, **options):
    """A case for each part, and one for how many there are."""
    try:
        pieces = list(call(typed.array, cuts, **options) if cuts is not None else call(typed.array, **options))
    except (*ERRORS, ZeroDivisionError) as error:
        fixture.add(function, [layouts_of(typed)], Error(error), part=0, **encode)
        return
    for i, piece in enumerate(pieces):
        fixture.add(function, [layouts_of(typed)], [Result(Typed(typed.name, piece), truth.exact())], part=i, parts=len(pieces), **encode)


def splitting():
    fixture = Fixture()
    for name in dtypes.NAMES:
        for shape, cuts, axis in [((6,), 3, 0), ((5,), [2, 3], 0), ((5,), [-2, 9, 1], 0), ((4, 3), 3, 1), ((2, 3, 4), [1], -1), ((0,), 2, 0), ((2, 1, 4, 1), 2, 2),
                                  ((1, 2, 1, 2, 2), [1, 1], 4), ((0, 2), [1], 0), (Striped((4, 3)), 2, 0)]:
            key = {"sections" if isinstance(cuts, int) else "indices": cuts}
            parts(fixture, "split", np.split, numbered(name, shape), cuts, {**key, "axis": axis}, axis=axis)
        for shape, cuts, axis in [((7,), 3, 0), ((2, 5), 4, 1), ((3,), 5, 0), ((4, 3, 2), [1, 2], -2), ((0, 3), 2, 1), (Striped((3, 2)), 2, 0), ((2, 1, 2, 2), 2, 3), ((1, 2, 1, 2, 1), 3, 1)]:
            key = {"sections" if isinstance(cuts, int) else "indices": cuts}
            parts(fixture, "array_split", np.array_split, numbered(name, shape), cuts, {**key, "axis": axis}, axis=axis)
        for function, shape in [("hsplit", (4,)), ("hsplit", (2, 4)), ("vsplit", (4, 2)), ("vsplit", (2, 3, 2)), ("dsplit", (2, 3, 4)), ("hsplit", (2, 0)), ("vsplit", (0, 2)), ("dsplit", (2, 0, 4)),
                                *((f, s) for f in ("hsplit", "vsplit", "dsplit") for s in [(2, 2, 2, 1), (2, 2, 4, 1, 2), Striped((2, 2, 4))])]:
            parts(fixture, function, getattr(np, function), numbered(name, shape), 2, {"sections": 2})
            parts(fixture, function, getattr(np, function), numbered(name, shape), [1], {"indices": [1]})
        for shape, axis in [((3,), 0), ((2, 3), 1), ((2, 3, 2), -2), ((2, 0), 0), ((1, 2, 1, 2), 3), ((1, 2, 1, 2, 1), 1), (Striped((2, 3)), 0)]:
            parts(fixture, "unstack", np.unstack, numbered(name, shape), None, {"axis": axis}, axis=axis)
    table = numbered("float32", (2, 3))
    for cuts, axis in [(2, 1), (0, 0), (-1, 0)]:
        parts(fixture, "array_split" if cuts <= 0 else "split", np.array_split if cuts <= 0 else np.split, table, cuts, {"sections": cuts, "axis": axis}, axis=axis)
    for function, shape in [("hsplit", ()), ("vsplit", (4,)), ("dsplit", (2, 2))]:
        parts(fixture, function, getattr(np, function), numbered("float32", shape), 2, {"sections": 2})
    parts(fixture, "unstack", np.unstack, numbered("float32", ()), None, {"axis": 0}, axis=0)
    parts(fixture, "unstack", np.unstack, table, None, {"axis": 2}, axis=2)
    return fixture


def tiling():
    fixture = Fixture()
    for name in dtypes.NAMES:
        for shape, reps in [((), [3]), ((3,), [2]), ((3,), [2, 2]), ((2, 3), [2]), ((2, 3), [2, 1]), ((2, 3), [1, 2]), ((2, 3), [2, 1, 2]), ((2, 1, 2), [2, 3, 2]),
                            ((3,), [0]), ((0, 2), [2, 2]), ((2, 3), []), ((1, 2, 1, 2), [2, 1, 2, 2]), ((1, 1, 2, 1, 2), [2]), (Striped((3, 2)), [2, 2])]:
            typed = numbered(name, shape)
            add(fixture, "tile", lambda a: np.tile(a, reps), [typed], encode={"reps": reps})
        for shape, repeats, axis in [((), 3, None), ((3,), 2, None), ((2, 3), 2, None), ((2, 3), 3, 0), ((2, 3), 2, -1), ((2, 3), [1, 2], 0), ((2, 3), [2, 0, 1], 1), ((4,), [0, 1, 1, 3], 0),
                                     ((2, 2), [1, 0, 2, 1], None), ((3,), 0, None), ((3,), [2], 0), ((2, 3, 2), [2, 1, 1], 1), ((0, 2), 2, 0), ((2, 1, 2, 1), 2, 2), ((1, 2, 1, 2, 1), 2, -2), (Striped((3, 2)), 2, 1)]:
            add(fixture, "repeat", lambda a: np.repeat(a, repeats, axis), [numbered(name, shape)], encode={"repeats": repeats, "axis": axis})
        for shape, new in [((3,), [2, 4]), ((2, 3), [2]), ((2, 3), [3, 2]), ((), [3]), ((2, 3), []), ((0,), [2]), ((3,), [0, 2]), ((2, 2, 2), [3, 7]), ((1, 2, 1, 2), [5]), ((1, 2, 1, 2, 1), [2, 3]), (Striped((3, 2)), [4, 2])]:
            add(fixture, "resize", lambda a: np.resize(a, new), [numbered(name, shape)], encode={"shape": new})
    for repeats, axis in [(-1, None), ([1, -1, 2], 1), ([1, 2], 1), (2, 2), ([1, 2, 3, 4], 0)]:
        add(fixture, "repeat", lambda a: np.repeat(a, repeats, axis), [numbered("float32", (2, 3))], encode={"repeats": repeats, "axis": axis})
    add(fixture, "tile", lambda a: np.tile(a, [-1, 2]), [numbered("float32", (2, 3))], encode={"reps": [-1, 2]})
    add(fixture, "resize", lambda a: np.resize(a, [-1, 2]), [numbered("float32", (2, 3))], encode={"shape": [-1, 2]})
    return fixture


def rearranging():
    fixture = Fixture()
    for name in dtypes.NAMES:
        for shape, shift, axis in [((), 2, None), ((5,), 2, None), ((5,), -7, 0), ((2, 3), 1, None), ((2, 3), 1, 0), ((2, 3), -1, 1), ((2, 3), [1, 2], [0, 1]), ((2, 3), 1, [0, 1]),
                                   ((2, 3), [1, 1], 1), ((2, 3), [1, 2], [1, 1]), ((2, 3, 2), [1, -1, 1], [0, 1, 2]), ((0, 2), 1, 1), ((3,), 3, 0), ((2, 1, 2, 2), [1, 1], [-1, 0]),
                                   ((1, 2, 1, 2, 2), 3, None), ((3,), 2**40 + 1, 0), (Striped((3, 2)), 1, 1)]:
            add(fixture, "roll", lambda a: np.roll(a, shift, axis), [numbered(name, shape)], encode={"shift": shift, "axis": axis})
        for shape, k, axes in [((2, 3), 1, [0, 1]), ((2, 3), 2, [0, 1]), ((2, 3), -1, [0, 1]), ((2, 3), 4, [1, 0]), ((2, 3, 2), 1, [1, 2]), ((2, 3, 2), 3, [-1, 0]), ((0, 2), 1, [0, 1]),
                               ((1, 2, 1, 2), 1, [3, 1]), ((1, 2, 1, 2, 1), 1, [0, 3]), (Striped((3, 2)), 1, [0, 1])]:
            add(fixture, "rot90", lambda m: np.rot90(m, k, axes), [numbered(name, shape)], encode={"k": k, "axes": axes})
        for shape in SHAPES[1:]:
            add(fixture, "flipud", np.flipud, [numbered(name, shape)])
            if len(shape) > 1:
                add(fixture, "fliplr", np.fliplr, [numbered(name, shape)])
        for shape, axis, start in [((2, 3), 1, 0), ((2, 3, 2), 2, 1), ((2, 3, 2), 0, 3), ((2, 3, 2), -1, -2), ((2, 0), 1, 0), ((5,), 0, 0), ((1, 2, 1, 2), 3, 1), ((1, 2, 1, 2, 1), 4, 0), (Striped((3, 2)), 1, 0)]:
            add(fixture, "rollaxis", lambda a: np.rollaxis(a, axis, start), [numbered(name, shape)], encode={"axis": axis, "start": start})
        for function in ("atleast_1d", "atleast_2d", "atleast_3d"):
            for shape in SHAPES:
                add(fixture, function, getattr(np, function), [numbered(name, shape)])
        for first, second in [((2, 3), (3,)), ((2, 1), (1, 3)), ((), (2,)), ((0, 1), (3,)), ((2, 1, 2), (2, 1)), ((3,), (3,)), (Striped((3, 2)), (2,)), ((2, 1, 2, 2), (2, 1)), ((1, 2, 1, 2, 1), (2, 1, 3))]:
            operands = shapes_of(name, [first, second])
            add(fixture, "broadcast_arrays", lambda a, b: np.broadcast_arrays(a, b)[0], operands, encode={"part": 0})
            add(fixture, "broadcast_arrays", lambda a, b: np.broadcast_arrays(a, b)[1], operands, encode={"part": 1})
        for target, source, mask in [((2, 3), (3,), None), ((2, 3), (2, 3), (2, 3)), ((2, 3), (), (3,)), ((2, 3), (2, 1), (2, 1)), ((4,), (1, 4), (4,)), ((0,), (1,), (1,)), ((), (), ()), (Striped((3, 2)), (2,), (3, 1)), ((2, 1, 2), (2,), (2, 1, 1)), ((2, 1, 2, 2), (), (2,)), ((1, 2, 1, 2, 1), (2, 1), None)]:
            copyto(fixture, name, target, source, mask)
    for first, second, mask in [((2, 3), (2,), None), ((2,), (2, 2), (2,)), ((2, 3), (3,), (2,)), ((3,), (3,), (2, 3))]:
        copyto(fixture, "float32", first, second, mask)
    table = numbered("float32", (2, 3))
    for shift, axis in [([1, 2], [0]), ([1, 2, 3], [0, 1]), (1, 2), (1, [0, -3])]:
        if shift != [1, 2]:  # two shifts of one axis add up
            add(fixture, "roll", lambda a: np.roll(a, shift, axis), [table], encode={"shift": shift, "axis": axis})
    for axes in ([0, 0], [0, 2], [0], [0, -2]):
        add(fixture, "rot90", lambda m: np.rot90(m, 1, axes), [table], encode={"k": 1, "axes": axes})
    add(fixture, "flipud", np.flipud, [numbered("float32", ())])
    add(fixture, "fliplr", np.fliplr, [numbered("float32", (3,))])
    for axis, start in [(2, 0), (0, 3)]:
        add(fixture, "rollaxis", lambda a: np.rollaxis(a, axis, start), [table], encode={"axis": axis, "start": start})
    add(fixture, "broadcast_arrays", lambda a, b: np.broadcast_arrays(a, b)[0], shapes_of("float32", [(2,), (3,)]), encode={"part": 0})
    return fixture


def copyto(fixture, name, target, source, mask):
    dst, src = shapes_of(name, [target, source])
    operands = [dst, src]
    if mask is not None:
        operands.append(Typed("bool", numbered("bool", mask).array))

    def call(d, s, m=True):
        result = d.copy()
        np.copyto(result, s, where=m)
        return result

    add(fixture, "copyto", call, operands, encode={})


def editing():
    fixture = Fixture()
    for name in dtypes.NAMES:
        for shape, obj, axis in [((5,), 2, None), ((5,), [0, -1, 0], 0), ((2, 3), 1, None), ((2, 3), 1, 1), ((2, 3), [0, 2], -1), ((2, 3), [], 0), ((2, 3, 2), 0, 1), ((), 0, None),
                                 ((1, 2, 1, 2), 1, 3), ((0, 2), [], 0), ((0, 2), 1, 1), ((1, 2, 1, 2, 1), 0, 1), (Striped((3, 2)), [0, 2], 0)]:
            add(fixture, "delete", lambda a: np.delete(a, np.array(obj, dtype=np.intp) if isinstance(obj, list) else obj, axis), [numbered(name, shape)], encode={"obj": obj, "axis": axis})
        for shape, start, stop, step, axis in [((10,), 1, 9, 3, 0), ((10,), 8, 0, -3, None), ((10,), 2, 5, 1, 0), ((2, 7), 0, 99, 2, 1), ((7, 2), 5, 5, 1, 0), ((2, 3, 4), 1, 4, 2, 2),
                                               ((4, 2), -3, 99, 2**62, 0), ((0,), 0, 5, 1, 0)]:
            add(fixture, "delete", lambda a: np.delete(a, slice(start, stop, step), axis), [numbered(name, shape)], encode={"slice": [start, stop, step], "axis": axis})
        for shape, values, obj, axis in [((5,), (), 2, None), ((5,), (2,), 1, 0), ((2, 3), (), 1, 1), ((2, 3), (2,), 1, 1), ((2, 3), (2, 1), [1], 1), ((2, 3), (3,), -1, 0), ((2, 3), (2,), 2, None),
                                         ((2, 3), (3,), [1, 1, 3], 1), ((2, 3), (2, 3), [2, 0, 1], 1), ((2, 3), (), [0, 2], 0), ((0,), (), 0, 0), ((2, 3, 2), (), 3, 1), ((3,), (3,), [2, 0, 1], 0),
                                         ((3,), (4,), [-1, 3, 0, 0], 0), ((1, 2, 1, 2), (2,), 0, 3), ((1, 2, 1, 2), (), 0, 3), ((2, 3), (1, 3), 1, 0), ((), (), 1, None), ((1, 2, 1, 2, 1), (), 1, 1), (Striped((3, 2)), (), 1, 0)]:
            operands = shapes_of(name, [shape, values])
            add(fixture, "insert", lambda a, v: np.insert(a, obj, v, axis), operands, encode={"obj": obj, "axis": axis})
        for shape, values, start, stop, step in [((5,), (), 0, 5, 2), ((2, 3), (3,), 0, 2, 1), ((3, 2), (1, 2), 1, 2, 1), ((4,), (2,), -1, -9, -2)]:
            operands = shapes_of(name, [shape, values])
            add(fixture, "insert", lambda a, v: np.insert(a, slice(start, stop, step), v, 0), operands, encode={"slice": [start, stop, step], "axis": 0})
        trim(fixture, name)
    for obj, axis in [(6, None), (3, 1), ([0, -4], 0), (2, 0), (0, 2)]:
        add(fixture, "delete", lambda a: np.delete(a, obj, axis), [numbered("float32", (2, 3))], encode={"obj": obj, "axis": axis})
    for obj, values, axis in [(7, (), None), (4, (), 1), (1, (2,), 0), ([0, 1], (3,), 1), (0, (), 2)]:
        add(fixture, "insert", lambda a, v: np.insert(a, obj, v, axis), shapes_of("float32", [(2, 3), values]), encode={"obj": obj, "axis": axis})
    add(fixture, "trim_zeros", np.trim_zeros, [numbered("float32", (2,))], trim="fx", axis=None)
    return fixture


def trim(fixture, name):
    vector = np.array([0, 0, 1, 0, 2, 0, 0, 0])
    table = np.zeros((4, 5), dtype=int)
    table[1, 2] = table[2, 3] = 1
    for array in (vector, table, np.zeros(3), np.zeros((2, 0)), np.ones((2, 2)), np.array(0), np.zeros((2, 3)), table.reshape(2, 2, 5), table.reshape(2, 1, 2, 5), table.reshape(2, 1, 2, 1, 5)):
        for mode, axis in [("fb", None), ("f", None), ("B", None), ("bf", array.ndim - 1 if array.ndim else None)]:
            typed = Typed(name, dtypes.convert(name, array))
            add(fixture, "trim_zeros", np.trim_zeros, [typed], trim=mode, axis=axis)


COPYING = ["edge", "reflect", "symmetric", "wrap"]
WIDTHS = [((5,), 2), ((5,), (1, 3)), ((3,), 8), ((2, 3), 1), ((2, 3), ((1, 0), (2, 5))), ((2, 3, 2), (1, 2)), ((1, 3), (2, 1)), ((), 1), ((0,), (0, 0)), ((2, 0), ((1, 2), (0, 0))),
          ((2, 1, 2, 2), 1), ((1, 2, 1, 2, 1), (0, 1)), ((3,), 0), (Striped((3, 2)), 1)]


def pairs(x):
    return [int(v) for v in np.ravel(x)]


def padding():
    fixture = Fixture()

    def case(typed, widths, mode, tolerance=None, **options):
        encode = {key: pairs(value) if key != "reflect_type" else value for key, value in options.items()}
        add(fixture, "pad", lambda a: np.pad(a, widths, mode, **options), [typed], tolerance, encode={"widths": pairs(widths), "mode": mode, **encode})

    for name in dtypes.NAMES:
        for shape, widths in WIDTHS:
            typed = numbered(name, shape)
            for mode in COPYING:
                case(typed, widths, mode)
            case(typed, widths, "constant")
            for mode in ("reflect", "symmetric"):
                case(typed, widths, mode, reflect_type="odd")
            for mode in ("maximum", "minimum"):
                case(typed, widths, mode)
            case(typed, widths, "mean", truth.ulp)
            case(typed, widths, "linear_ramp", truth.ulp)
        table = numbered(name, (3, 4))
        one = name == "bool"
        case(table, 1, "constant", constant_values=1 if one else 7)
        case(table, (1, 2), "constant", constant_values=(0, 1) if one else (7, 9))
        case(table, 2, "constant", constant_values=((0, 1), (1, 0)) if one else ((1, 2), (3, 4)))
        for mode in ("maximum", "minimum"):
            case(table, 2, mode, stat_length=2)
            case(table, 2, mode, stat_length=((1, 2), (3, 9)))
        case(table, 2, "mean", truth.ulp, stat_length=(1, 2))
        if name not in dtypes.UNSIGNED and not one:
            case(table, 3, "linear_ramp", truth.ulp, end_values=-5)
        case(table, 3, "linear_ramp", truth.ulp, end_values=((0, 1), (1, 0)) if one else ((4, 8), (20, 3)))
    table = numbered("float32", (2, 3))
    for mode in ("constant", "edge"):
        case(table, -1, mode)
        case(table, ((1, 2), (0, -1)), mode)
        case(table, ((1, 2),) * 3, mode)
    for mode in [*COPYING, "linear_ramp", "maximum", "mean"]:
        case(numbered("float32", (0, 2)), 1, mode)
    case(table, 1, "maximum", stat_length=0)
    case(table, 1, "minimum", stat_length=(1, 0))
    case(table, 1, "mean", stat_length=-1)
    return fixture


def building():
    fixture = Fixture()
    for name in dtypes.NAMES:
        for shape, k in [((3,), 0), ((3,), 1), ((2,), -2), ((0,), 0), ((0,), 1), ((3, 4), 0), ((3, 4), 2), ((3, 4), -1), ((3, 4), 9), ((2, 0), 0), (Striped((3, 4)), 1)]:
            add(fixture, "diag", np.diag, [numbered(name, shape)], k=k)
        for shape, k in [((), 0), ((2, 2), 1), ((3,), -1), ((2, 1, 2), 0), ((0,), 1), ((2, 1, 2, 1), 0), ((1, 2, 1, 2, 1), 0), (Striped((2, 2)), 0)]:
            add(fixture, "diagflat", np.diagflat, [numbered(name, shape)], k=k)
        for shape, k in [((3,), 0), ((3, 3), 0), ((3, 4), 1), ((4, 3), -2), ((2, 2, 3), 0), ((0, 3), 0), ((2, 0), 1), ((2, 1, 2, 2), 0), ((1, 2, 1, 2, 3), -1), (Striped((3, 2)), 0)]:
            add(fixture, "tril", np.tril, [numbered(name, shape)], k=k)
            add(fixture, "triu", np.triu, [numbered(name, shape)], k=k)
        for N, M, k in [(3, 3, 0), (3, 4, 1), (4, 3, -2), (0, 2, 0), (2, 2, 9)]:
            fixture.add("tri", [], [Result(Typed(name, np.tri(N, M, k, dtypes.numpy_dtype(name))), truth.exact())], dtype=name, N=N, M=M, k=k)
        for shape, N, increasing in [((3,), None, False), ((3,), 4, True), ((3,), 2, False), ((2,), 1, True), ((2,), 0, False), ((0,), 2, True), (Striped((3,)), None, True)]:
            if name != "bfloat16":  # powers of another type, which NumPy has not
                add(fixture, "vander", np.vander, [numbered(name, shape)], N=N, increasing=increasing)
        grids(fixture, name)
        for shape in SHAPES:
            add(fixture, "asfortranarray", np.asfortranarray, [numbered(name, shape)])
            add(fixture, "ascontiguousarray", np.ascontiguousarray, [numbered(name, shape)])
        for shape, window, axis in [((6,), [3], None), ((3, 4), [2, 2], None), ((3, 4), [2], [1]), ((3, 4), [2, 2], [1, 1]), ((2, 3, 2), [3], [-2]), ((2, 0), [1], [0]), ((3,), [0], [0]),
                                    ((2, 2, 2, 3), [2], [3]), ((1, 2, 1, 2, 1), [1], [0]), (Striped((3, 2)), [2], [0])]:
            add(fixture, "sliding_window_view", lambda x: np.lib.stride_tricks.sliding_window_view(x, window, axis), [numbered(name, shape)], encode={"window": window, "axis": axis})
        ranges(fixture, name)
    for shape, window, axis in [((3, 4), [2], None), ((3, 4), [2, 5], None), ((3, 4), [2], [2]), ((3, 4), [2], [0, 1]), ((3,), [-1], None)]:
        add(fixture, "sliding_window_view", lambda x: np.lib.stride_tricks.sliding_window_view(x, window, axis), [numbered("float32", shape)], encode={"window": window, "axis": axis})
    for function, shape in [("diag", ()), ("diag", (1, 1, 1))]:
        add(fixture, function, np.diag, [numbered("float32", shape)], k=0)
    add(fixture, "vander", np.vander, [numbered("float32", (2, 2))], N=None, increasing=False)
    return fixture


def grids(fixture, name):
    for shapes, indexing, sparse in itertools.product([[(3,), (2,)], [(2,), (3,), (2,)], [(3,)], [(0,), (2,)], [(), (2,)], [(2, 2), (3,)], [Striped((3, 2)), Striped((2,))]], ("xy", "ij"), (False, True)):
        operands = shapes_of(name, shapes)
        for part in range(len(shapes)):
            add(fixture, "meshgrid", lambda *x: np.meshgrid(*x, indexing=indexing, sparse=sparse)[part], operands, encode={"part": part, "indexing": indexing, "sparse": sparse})
    if name == "bool":
        return
    typed = lambda array: [Result(Typed(name, dtypes.convert(name, array)), truth.ulp(name))]
    for shape in [(3,), (2, 3), (2, 0), (), (2, 1, 2)]:
        fixture.add("indices", [], typed(np.indices(shape)), dtype=name, shape=list(shape))
    axes = {"whole": (slice(0, 3), slice(2, 8, 3)), "back": (slice(5, 0, -2),), "real": (slice(0.0, 1.0, 0.25), slice(1, 3)), "points": (slice(0, 2, 3j), slice(1, 4, 1j), slice(2))}
    for key, slices in axes.items():
        fixture.add("mgrid", [], typed(np.mgrid[slices]), dtype=name, axes=key)
        for part, grid in enumerate(np.ogrid[slices]):
            fixture.add("ogrid", [], typed(grid), dtype=name, axes=key, part=part)


def ranges(fixture, name):
    if not dtypes.is_inexact(name):
        return
    def outcome(array):
        return [Result(Typed(name, dtypes.convert(name, array)), truth.ulp(name))]
    for start, stop, num, endpoint, base in [(0, 3, 4, True, 10.0), (0, 2, 5, False, 2.0), (-1, 1, 7, True, 3.0), (1, 1, 3, True, 10.0), (0, 1, 1, True, 10.0), (0, 1, 0, True, 2.0)]:
        fixture.add("logspace", [], outcome(np.logspace(start, stop, num, endpoint, base)), dtype=name, start=float(start), stop=float(stop), num=num, endpoint=endpoint, base=base)
    for start, stop, num, endpoint in [(1, 1000, 4, True), (1, 256, 9, True), (-100, -1, 5, True), (2, 50, 6, False), (3, 7, 1, True), (5, 2, 0, True), (1, 2, 2, True)]:
        fixture.add("geomspace", [], outcome(np.geomspace(start, stop, num, endpoint)), dtype=name, start=float(start), stop=float(stop), num=num, endpoint=endpoint)
    for function in ("logspace", "geomspace"):
        fixture.add(function, [], Error(ValueError("Number of samples, -1, must be non-negative.")), dtype=name, start=1.0, stop=2.0, num=-1, endpoint=True, base=10.0)
    fixture.add("geomspace", [], Error(ValueError("Geometric sequence cannot include zero")), dtype=name, start=0.0, stop=2.0, num=3, endpoint=True)


def topics():
    return {"joining": joining, "splitting": splitting, "tiling": tiling, "rearranging": rearranging, "editing": editing, "padding": padding, "building": building}
