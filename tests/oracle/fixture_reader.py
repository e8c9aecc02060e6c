"""Reads what fixture.py writes: for the coverage matrix, and to look into a fixture by hand.

`python fixture_reader.py FILE [FUNCTION]` lists the cases.
"""

import struct
import sys
from dataclasses import dataclass

import dtypes
import fixture


@dataclass
class Case:
    function: str
    options: dict
    operands: list  # of families (lists of (label, array index, recipe index)), or of Weak
    results: list  # of (array index, tolerance kind, amount, recipe indices)
    error: tuple  # (class, message), or None


class Reader:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        assert self.data[:8] == fixture.MAGIC, path
        self.at = 8
        self.strings = self._list(lambda: self._take(self._varint()).decode())
        self.arrays = self._list(self._array)
        self.recipes = self._list(lambda: self._list(self._step))
        self.families = self._list(lambda: self._list(lambda: (self._string(), self._varint(), self._varint())))
        self.cases = self._list(self._case)
        assert self.at == len(self.data), path

    def _take(self, count):
        self.at += count
        return self.data[self.at - count:self.at]

    def _varint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def _signed(self):
        value = self._varint()
        return value >> 1 if value % 2 == 0 else -((value + 1) >> 1)

    def _double(self):
        return struct.unpack("<d", self._take(8))[0]

    def _string(self):
        return self.strings[self._varint()]

    def _list(self, read):
        return [read() for _ in range(self._varint())]

    def _array(self):
        name = dtypes.NAMES[self._take(1)[0]]
        shape = self._list(self._varint)
        size = 1
        for extent in shape:
            size *= extent
        return fixture.Typed(name, dtypes.decode(name, self._take(size * dtypes.itemsize(name)), shape))

    def _step(self):
        code = self._take(1)[0]
        if code != 2:
            return {0: "reshape", 1: "transpose", 3: "broadcast"}[code], self._list(self._signed)
        return "index", self._list(self._entry)

    def _entry(self):
        code = self._take(1)[0]
        if code == 0:
            return self._signed()
        if code == 1:
            flags = self._take(1)[0]
            return slice(*[self._signed() if flags >> i & 1 else None for i in range(3)])
        return None if code == 2 else Ellipsis

    def _value(self):
        readers = [lambda: None, lambda: bool(self._take(1)[0]), self._signed, self._double,
                   lambda: complex(self._double(), self._double()), self._string, lambda: self._list(self._signed)]
        return readers[self._take(1)[0]]()

    def _case(self):
        function = self._string()
        options = {self._string(): self._value() for _ in range(self._varint())}
        operands = self._list(lambda: fixture.Weak(self._value()) if self._take(1)[0] else self.families[self._varint()])
        if self._take(1)[0]:
            return Case(function, options, operands, [], (self._string(), self._string()))
        return Case(function, options, operands, self._list(self._result), None)

    def _result(self):
        array, kind = self._varint(), self._take(1)[0]
        amount = None
        if kind in (fixture.ULP, fixture.MAGNITUDE):
            amount = self._double()
        elif kind == fixture.BOUNDS:
            amount = fixture.unpack_bounds(self.arrays[self._varint()].array)
        return array, kind, amount, self._list(self._varint)


def main():
    reader = Reader(sys.argv[1])
    print(len(reader.arrays), "arrays", len(reader.recipes), "recipes", len(reader.families), "families", len(reader.cases), "cases")
    for number, case in enumerate(reader.cases):
        if len(sys.argv) < 3 or case.function == sys.argv[2]:
            operands = [o.value if isinstance(o, fixture.Weak) else f"{reader.arrays[o[0][1]].name} x{len(o)}" for o in case.operands]
            outcome = case.error or [(reader.arrays[r[0]].name, reader.arrays[r[0]].array.shape, r[1], r[2] if r[1] < 3 else "") for r in case.results]
            print(number, case.function, case.options, operands, outcome)


if __name__ == "__main__":
    main()
