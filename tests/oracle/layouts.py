"""The layouts in which every function meets its operands, as recipes over a contiguous pool array.

A label is "rank/layout". Rank 0 has one layout, and the transpose of rank 1 is itself; the coverage matrix knows both.
The values that matter (`values.special`) are at even positions below 16, so that every variant shows all of them.
"""

ALL = slice(None)
SPECIALS = 8  # special values, at positions 0, 2, ... 14

# Arrays of one axis with 120 elements, and grids of 24 x 24 (first operand by row, second by column), in every rank.
VECTOR_SHAPES = {1: (120,), 2: (6, 20), 3: (4, 5, 6), 4: (2, 5, 3, 4), 5: (2, 2, 3, 5, 2)}
GRID_SHAPES = {1: (576,), 2: (24, 24), 3: (4, 6, 24), 4: (4, 6, 2, 12), 5: (2, 2, 6, 4, 6)}
GRID_ROW_AXES = {1: 0, 2: 1, 3: 2, 4: 2, 5: 3}  # how many leading axes of GRID_SHAPES count rows


def index(*entries):
    return ("index", entries)


def vector_variants():
    """(label, recipe) pairs for a pool array of 120 elements."""
    variants = [("0/contiguous", [index(2 * i)]) for i in range(SPECIALS)]
    variants += [("1/contiguous", []),
                 ("1/stepped", [index(slice(None, None, 2))]),
                 ("1/reversed", [index(slice(None, None, -1))]),
                 ("1/zero", [index(slice(5, 5))])]
    variants += [("1/broadcast", [index(slice(2 * i, 2 * i + 1)), ("broadcast", (5,))]) for i in range(SPECIALS)]
    for rank in range(2, 6):
        shape = VECTOR_SHAPES[rank]
        start = ("reshape", shape)
        turned = ("transpose", tuple(reversed(range(rank))))
        middle = [ALL] * (rank - 2)
        variants += [
            (f"{rank}/contiguous", [start]),
            (f"{rank}/transposed", [start, turned]),
            (f"{rank}/stepped", [start, index(slice(None, None, 2), *middle, slice(None, None, 2))]),
            (f"{rank}/reversed", [start, index(*[slice(None, None, -1)] * rank)]),
            (f"{rank}/broadcast", [start, index(slice(0, 1)), ("broadcast", shape)]),
            (f"{rank}/zero", [start, index(*[ALL] * (rank - 1), slice(1, 1))]),
            (f"{rank}/mixed", [start, index(slice(None, None, -1), *middle, slice(None, None, 2)), turned]),
        ]
    return variants


def grid_variants():
    """(label, first operand's recipe, second operand's recipe, result's recipe) for pool arrays of 24 x 24."""
    def same(label, *steps):
        return label, list(steps), list(steps), list(steps)

    evens = slice(None, None, 2)
    variants = [same("0/contiguous", index(2 * i, 2 * j)) for i in range(SPECIALS) for j in {i, (3 * i + 1) % SPECIALS}]
    flat = ("reshape", (576,))
    variants += [same("1/contiguous", flat), same("1/stepped", flat, index(evens)),
                 same("1/reversed", flat, index(slice(None, None, -1))), same("1/zero", flat, index(slice(7, 7)))]
    for i in range(0, 2 * SPECIALS, 2):
        variants.append(("1/broadcast", [index(i, slice(0, 1))], [index(0)], [index(i)]))
        variants.append(("1/broadcast", [index(ALL, 0)], [index(slice(0, 1), i), ("broadcast", (24,))], [index(ALL, i)]))
    for rank in range(2, 6):
        shape, rows = GRID_SHAPES[rank], GRID_ROW_AXES[rank]
        start = ("reshape", shape)
        columns = rank - rows
        stepped = {2: (evens, evens), 3: (ALL, evens, evens), 4: (ALL, evens, ALL, evens),
                   5: (ALL, ALL, evens, ALL, evens)}[rank]
        by_row = [start, index(*[ALL] * rows, *[slice(0, 1)] * columns)]
        by_column = [start, index(*[0] * rows)]
        turned = ("transpose", tuple(reversed(range(rank))))
        variants += [
            same(f"{rank}/contiguous", start),
            same(f"{rank}/transposed", start, turned),
            same(f"{rank}/stepped", start, index(*stepped)),
            same(f"{rank}/reversed", start, index(*[slice(None, None, -1)] * rank)),
            (f"{rank}/broadcast", by_row, by_column, [start]),
            (f"{rank}/broadcast", [*by_row, ("broadcast", shape)], [*by_column, ("broadcast", shape)], [start]),
            same(f"{rank}/zero", start, index(*[ALL] * (rank - 1), slice(2, 2))),
            (f"{rank}/mixed", [start, turned], [start, turned, index(ALL)], [start, turned]),
        ]
    return variants


def few_grid_variants():
    """A handful for mixed dtypes, over pool arrays of 12 x 12."""
    evens = slice(None, None, 2)
    turned = [("transpose", (1, 0))]
    return [("0/contiguous", [index(0, 2)], [index(0, 2)], [index(0, 2)]),
            ("1/contiguous", [("reshape", (144,))], [("reshape", (144,))], [("reshape", (144,))]),
            ("2/contiguous", [], [], []), ("2/transposed", turned, turned, turned),
            ("2/stepped", [index(evens, evens)], [index(evens, evens)], [index(evens, evens)]),
            ("2/broadcast", [index(ALL, slice(0, 1))], [index(0)], []),
            ("2/zero", [index(ALL, slice(0, 0))], [index(ALL, slice(0, 0))], [index(ALL, slice(0, 0))])]
