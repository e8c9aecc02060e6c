"""The fixture format, written and read here and read by tests/support/oracle.hpp.

All integers are LEB128 varints (signed ones zigzag), floats are 8-byte little-endian doubles.

    "gpuorcl1"
    strings   count, then {length, bytes}
    arrays    count, then {dtype id (1 byte), rank, extents..., bytes}: the pool, each distinct array once
    recipes   count, then {steps, step...}: view operations that lead from a pool array to an operand
    families  count, then {variants, {label string, array, recipe}...}: the same operand in several layouts
    cases     count, then {function string, options, operands, outcome}

    step      0 reshape | 1 transpose | 3 broadcast {rank, signed extents or axes...} | 2 index {entries, entry...}
    entry     0 integer {signed} | 1 slice {flags: 1 start 2 stop 4 step, signed...} | 2 newaxis | 3 ellipsis
    option    key string, value
    value     0 none | 1 bool {byte} | 2 int {signed} | 3 float {double} | 4 complex {2 doubles} | 5 string | 6 ints {count, signed...}
    operand   0 family index | 1 weak scalar {value}
    outcome   0 results {count, {array, tolerance kind (1 byte), tolerance, recipes {count, recipe...}}...}
              1 error {class string, message string}
    tolerance exact 0: nothing | ulp 1, magnitude 2: double | bounds 3: index of an int16 array, see `pack_bounds`

Families of one case have one length, or length 1 where every variant shares the operand; a result has as many recipes as
there are variants, or none where every variant has the same result.
"""

import re
import struct

import numpy as np

import dtypes

MAGIC = b"gpuorcl1"
EXACT, ULP, MAGNITUDE, BOUNDS = range(4)


class Typed:
    """An array and the library dtype that it stands for (they differ for bfloat16 only)."""

    def __init__(self, name, array):
        self.name = name
        self.array = np.asarray(array, dtype=dtypes.numpy_dtype(name))


class Weak:
    """A Python scalar operand: in C++ a bool, int64, double or complex<double>."""

    def __init__(self, value):
        self.value = value


# Where NumPy's words name its own implementation or syntax, what remains of them: the library's message must contain it.
WORDS = [(r"operands could not be broadcast together with remapped.*", "operands could not be broadcast together"),
         (r"input operand has more dimensions than allowed by the axis remapping", "operands could not be broadcast together"),
         (r"(operands could not be broadcast together with shapes (\(\S*\)) \S*) \2", r"\1"),  # x += y: shapes of x, y, x
         (r"source: (axis .*)", r"\1"),
         (r"tuple index out of range", ""),
         (r"(an index can only have a single ellipsis).*", r"\1"),
         (r"(shape mismatch: indexing arrays could not be broadcast together) with shapes( \(\S*\)){3,} *", r"\1"),  # two are named
         (r"(Calling nonzero on 0d arrays is not allowed).*", r"\1"),
         (r"invalid entry in choice array", "is out of bounds"),
         (r"(index \S+ is out of bounds for) (size \d+)", r"\1 axis 0 with \2"),  # of the array read as one dimension
         (r"(cannot reshape array of size \d+ into shape) \(\d+\)", r"\1")]  # of a request with -1


class Error:
    """The exception that NumPy raises."""

    def __init__(self, error):
        name = type(error).__name__
        self.kind = "TypeError" if isinstance(error, TypeError) else name
        self.message = str(error).strip()
        for pattern, rest in WORDS:
            self.message = re.sub(f"^{pattern}$", rest, self.message)


class Result:
    """An expected array, how closely to match it, and the views of it that the variants expect."""

    def __init__(self, typed, tolerance=(EXACT, None), recipes=()):
        self.typed = typed
        self.tolerance = tolerance
        self.recipes = list(recipes)


def pack_bounds(bounds):
    """Absolute errors as int16 k = ceil(8 log2(bound)), so a bound is read as 2^(k/8), at most 9% larger; -32768 is 0,
    32767 is inf, 32766 is nan and 32765 is -inf."""
    with np.errstate(all="ignore"):
        bounds = np.asarray(bounds, dtype=np.float64)
        exponent = np.nan_to_num(np.ceil(8 * np.log2(bounds)), nan=0, posinf=0, neginf=0)
    for value, code in ((bounds == 0, -32768), (np.isposinf(bounds), 32767), (np.isnan(bounds), 32766), (np.isneginf(bounds), 32765)):
        exponent = np.where(value, code, exponent)
    return exponent.astype(np.int16)


def unpack_bounds(packed):
    """The inverse of `pack_bounds`."""
    with np.errstate(all="ignore"):
        bounds = np.exp2(packed / 8.0)
    for value, code in ((0, -32768), (np.inf, 32767), (np.nan, 32766), (-np.inf, 32765)):
        bounds = np.where(packed == code, value, bounds)
    return bounds


class Table:
    """Values in order of first use, each once."""

    def __init__(self):
        self.index = {}
        self.items = []

    def add(self, key, item):
        if key not in self.index:
            self.index[key] = len(self.items)
            self.items.append(item)
        return self.index[key]


def varint(value):
    assert value >= 0
    out = bytearray()
    while True:
        byte = value & 0x7F
        value >>= 7
        out.append(byte | (0x80 if value else 0))
        if not value:
            return bytes(out)


def signed(value):
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


class Fixture:
    """Collects cases and writes one file."""

    def __init__(self):
        self.strings = Table()
        self.arrays = Table()
        self.recipes = Table()
        self.families = Table()
        self.cases = []

    def string(self, text):
        data = text.encode()
        return varint(self.strings.add(data, varint(len(data)) + data))

    def array(self, typed):
        data = bytes([dtypes.IDS[typed.name]]) + varint(typed.array.ndim)
        data += b"".join(varint(n) for n in typed.array.shape) + dtypes.encode(typed.name, typed.array)
        return varint(self.arrays.add(data, data))

    def recipe(self, steps):
        data = varint(len(steps)) + b"".join(self._step(*step) for step in steps)
        return varint(self.recipes.add(data, data))

    def family(self, variants):
        """`variants`: (label, Typed, recipe) each."""
        data = varint(len(variants))
        for label, typed, recipe in variants:
            data += self.string(label) + self.array(typed) + self.recipe(recipe)
        return varint(self.families.add(data, data))

    def add(self, function, operands, outcome, **options):
        """`operands`: a list of variants, or a `Weak`, each; `outcome`: a list of `Result`, or an `Error`."""
        data = self.string(function) + varint(len(options))
        for key, value in options.items():
            data += self.string(key) + self._value(value)
        data += varint(len(operands))
        for operand in operands:
            data += b"\1" + self._value(operand.value) if isinstance(operand, Weak) else b"\0" + self.family(operand)
        if isinstance(outcome, Error):
            data += b"\1" + self.string(outcome.kind) + self.string(outcome.message)
        else:
            data += b"\0" + varint(len(outcome)) + b"".join(self._result(result) for result in outcome)
        self.cases.append(data)

    def bytes(self):
        parts = [MAGIC]
        for items in (self.strings.items, self.arrays.items, self.recipes.items, self.families.items, self.cases):
            parts += [varint(len(items)), *items]
        return b"".join(parts)

    def _result(self, result):
        kind, amount = result.tolerance
        data = self.array(result.typed) + bytes([kind])
        if kind in (ULP, MAGNITUDE):
            data += struct.pack("<d", amount)
        elif kind == BOUNDS:
            data += self.array(Typed("int16", pack_bounds(amount)))
        return data + varint(len(result.recipes)) + b"".join(self.recipe(recipe) for recipe in result.recipes)

    def _value(self, value):
        if value is None:
            return b"\0"
        if isinstance(value, bool):
            return bytes([1, value])
        if isinstance(value, int):
            return b"\2" + signed(value)
        if isinstance(value, float):
            return b"\3" + struct.pack("<d", value)
        if isinstance(value, complex):
            return b"\4" + struct.pack("<dd", value.real, value.imag)
        if isinstance(value, str):
            return b"\5" + self.string(value)
        return b"\6" + varint(len(value)) + b"".join(signed(v) for v in value)

    @staticmethod
    def _step(kind, values):
        if kind in ("reshape", "transpose", "broadcast"):
            code = {"reshape": 0, "transpose": 1, "broadcast": 3}[kind]
            return bytes([code]) + varint(len(values)) + b"".join(signed(v) for v in values)
        data = b"\2" + varint(len(values))
        for entry in values:
            if entry is None:
                data += b"\2"
            elif entry is Ellipsis:
                data += b"\3"
            elif isinstance(entry, slice):
                fields = [entry.start, entry.stop, entry.step]
                data += bytes([1, sum(1 << i for i, field in enumerate(fields) if field is not None)])
                data += b"".join(signed(field) for field in fields if field is not None)
            else:
                data += b"\0" + signed(entry)
        return data


def apply(recipe, array):
    """The view of `array` that `recipe` describes."""
    for kind, values in recipe:
        if kind == "reshape":
            array = array.reshape(values)
        elif kind == "transpose":
            array = array.transpose(values)
        elif kind == "broadcast":
            array = np.broadcast_to(array, values)
        else:
            array = array[tuple(values) if Ellipsis in values else (*values, Ellipsis)]  # a view also where no axis remains
    return array


def plain(typed, label=""):
    """The family of one contiguous array."""
    return [(label or f"{typed.array.ndim}/contiguous", typed, [])]
