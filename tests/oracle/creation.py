"""Arrays from shapes, values and ranges."""

import numpy as np

import dtypes
import truth
from calls import ERRORS
from fixture import Error, Fixture, Result, Typed

SHAPES = [(), (5,), (2, 3), (2, 1, 3), (1, 2, 3, 1), (2, 1, 2, 1, 2), (0,), (3, 0), (0, 2, 0)]
ARANGES = [(5,), (0,), (-3,), (2, 10), (2, 10, 3), (10, 2, -3), (10, 2), (2, 10, -1), (0, 100, 7), (5, 5), (1, 2, 5)]
FLOAT_ARANGES = [(0.0, 1.0, 0.1), (0.5, 3.25, 0.25), (1.0, -1.0, -0.3), (0.0, 2.1, 0.7), (5.5,), (2.0, 2.0), (-1.5, 4.0)]
LINSPACES = [(0, 1, 5, True), (0, 1, 5, False), (2.0, -3.0, 11, True), (0, 10, 1, True), (0, 10, 0, True), (3, 3, 4, True), (-1, 1, 50, True),
             (0, 1, 7, False), (10, 20, 2, True), (0, 100, 11, True), (0.1, 0.7, 7, True), (0, 10, 1, False), (0, 1, -1, True)]


def attempt(make):
    try:
        with np.errstate(all="ignore"):
            return make()
    except (*ERRORS, ZeroDivisionError) as error:
        return Error(error)


def outcome(name, array, tolerance=None):
    if isinstance(array, Error):
        return array
    return [Result(Typed(name, dtypes.convert(name, array)), tolerance or truth.exact())]


def creation():
    fixture = Fixture()
    for name in dtypes.NAMES:
        dtype = dtypes.numpy_dtype(name)
        for shape in SHAPES:
            extents = list(shape)
            fixture.add("zeros", [], outcome(name, np.zeros(shape, dtype)), dtype=name, shape=extents)
            fixture.add("ones", [], outcome(name, np.ones(shape, dtype)), dtype=name, shape=extents)
            value = 1 if name == "bool" else 7 if name in dtypes.INTEGERS else 2.5
            fixture.add("full", [], outcome(name, np.full(shape, value, dtype)), dtype=name, shape=extents, value=value)
        for n, m, k in ((3, 3, 0), (3, 4, 1), (4, 3, -1), (2, 2, 5), (0, 2, 0), (4, 2, -2)):
            fixture.add("eye", [], outcome(name, np.eye(n, m, k, dtype)), dtype=name, N=n, M=m, k=k)
        fixture.add("identity", [], outcome(name, np.identity(3, dtype)), dtype=name, n=3)
        if name == "bool":
            continue
        unsigned = name in dtypes.UNSIGNED
        floats = dtypes.is_inexact(name)
        for arguments in ARANGES + (FLOAT_ARANGES if floats else []):
            if unsigned and (min(arguments) < 0 or len(arguments) > 1 and arguments[0] > arguments[1]):
                continue
            arange(fixture, name, arguments)
        for start, stop, num, endpoint in LINSPACES:
            linspace(fixture, name, start, stop, num, endpoint)
    return fixture


def arange(fixture, name, arguments):
    if name in dtypes.COMPLEX:  # an argument of another type than the result would have, in C++
        return
    array = attempt(lambda: np.arange(*arguments, dtype=dtypes.numpy_dtype(name)))
    tolerance = truth.bounds(name, max(abs(a) for a in arguments), 2) if dtypes.is_inexact(name) else None
    names = ("stop",) if len(arguments) == 1 else ("start", "stop", "step")
    fixture.add("arange", [], outcome(name, array, tolerance), dtype=name, **dict(zip(names, arguments)))


def linspace(fixture, name, start, stop, num, endpoint):
    if name in dtypes.UNSIGNED and min(start, stop) < 0:
        return
    array = attempt(lambda: np.linspace(start, stop, num, endpoint, dtype=dtypes.numpy_dtype(name)))
    tolerance = truth.bounds(name, max(abs(start), abs(stop)), 2) if dtypes.is_inexact(name) else None
    fixture.add("linspace", [], outcome(name, array, tolerance), dtype=name, start=float(start), stop=float(stop), num=num, endpoint=endpoint)


def topics():
    return {"creation": creation}
