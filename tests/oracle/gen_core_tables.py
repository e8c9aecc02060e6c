"""Makes tests/core/core_tables.inc: what NumPy says about promotion, casts, half, complex arithmetic and limits.

bfloat16 is not NumPy's: its rows are left to rules that the tests state themselves.
"""

import itertools

import numpy as np

import dtypes

NAMES = [name for name in dtypes.NAMES if name != "bfloat16"]
CASTINGS = ["no", "equiv", "safe", "same_kind", "unsafe"]


def row(values):
    return "{" + ", ".join(values) + "}"


def bits64(value):
    """A double as its pattern; every NaN is the same one."""
    pattern = int(np.float64(value).view(np.uint64))
    return "0x7ff8000000000000" if np.isnan(value) else f"{pattern:#x}"


def table(kind, name, rows):
    lines = [f"inline constexpr {kind} {name}[] = {{"]
    line = "   "
    for text in rows:
        if len(line) + len(text) > 116:
            lines.append(line)
            line = "   "
        line += f" {text},"
    return lines + [line, "};", ""]


def promotions():
    """For every pair: promote_types and the strictest casting that is allowed."""
    rows = []
    for a, b in itertools.product(NAMES, NAMES):
        strictest = next(i for i, rule in enumerate(CASTINGS) if np.can_cast(a, b, rule))
        rows.append(row([str(dtypes.IDS[x]) for x in (a, b, str(np.promote_types(a, b)))] + [str(strictest)]))
    return table("promotion_row", "promotion_rows", rows)


def triples():
    """Three types at once, where the order of pairwise promotion would matter, and some where it does not."""
    rows = []
    for number, types in enumerate(itertools.product(NAMES, repeat=3)):
        together = str(np.result_type(*types))
        pairwise = str(np.promote_types(np.promote_types(types[0], types[1]), types[2]))
        if together != pairwise or number % 97 == 0:
            rows.append(row([str(dtypes.IDS[x]) for x in (*types, together)]))
    return table("triple_row", "triple_rows", rows)


def weak():
    """The dtype of an array with a Python bool, int, float and complex; then that of its sum."""
    rows = []
    for name in NAMES:
        array = np.ones(2, name)
        results = [str((array + scalar).dtype) for scalar in (True, 2, 2.0, 2j)] + [str(np.sum(array).dtype)]
        rows.append(row([str(dtypes.IDS[x]) for x in [name] + results]))
    return table("weak_row", "weak_rows", rows)


def halves():
    """Doubles whose rounding to float16 goes wrong by way of float32, and doubles of every size."""
    rng = np.random.default_rng(1)
    tie = 1 + 2.0**-11
    values = [tie, tie + 2.0**-40, tie - 2.0**-40, 3 * 2.0**-11 + 1 - 2.0**-40, 65519.999999999, 65520.0, 2.0**-25,
              2.0**-25 * (1 + 2.0**-52), 2.0**-24 * 1.5, 2.0**-24 * 1.5 + 2.0**-70, 2.0**-14 - 2.0**-26, 2049.0, 1e300,
              -1e300, 5e-324, -0.0, np.inf, -np.inf, np.nan]
    values += list(np.exp2(rng.uniform(-27, 17, 100)) * rng.choice([-1, 1], 100))
    values += [float(np.float16(v)) + np.spacing(np.float16(v)) / 2 + s * 2.0**-60 for v in rng.uniform(0.1, 1, 20)
               for s in (-1, 0, 1)]
    with np.errstate(all="ignore"):
        rows = [row([bits64(v), f"{int(np.float64(v).astype(np.float16).view(np.uint16)):#x}"]) for v in values
                if not np.isnan(v)]
    return table("half_row", "half_rows", rows)


def casts():
    """float64 values and what astype gives for each dtype, 0 where the value is out of an integer's range."""
    integers = [np.iinfo(n) for n in NAMES if n.startswith(("int", "uint"))]
    values = {0.0, -0.0, 0.5, -0.5, 0.99, 1.0, -1.0, 2.5, -3.7, 100.25, 1e-310, 3e9, 1e18, 9.007199254740993e15}
    for info in integers:
        for v in (float(info.min), float(info.max)):
            values |= {v, np.nextafter(v, 0.0), v / 3, v - np.sign(v) * 0.5}
    rows = []
    for value in sorted(values, key=lambda v: (v, np.signbit(v))):
        cells = [bits64(value)]
        for name in NAMES[1:9]:
            info = np.iinfo(name)
            inside = info.min <= int(value) <= info.max
            pattern = f"{int(np.float64(value).astype(name)) & (2**64 - 1):#x}u" if inside else "0"
            cells += [str(int(inside)), pattern]
        cells += [f"{int(np.float32(value).view(np.uint32)):#x}u", str(int(np.bool_(value)))]
        rows.append(row([cells[0], row(row(cells[i:i + 2]) for i in range(1, 17, 2)), *cells[17:]]))
    return table("cast_row", "cast_rows", rows)


def integers_to_floating():
    """int64 values as float64, float32 and float16."""
    rng = np.random.default_rng(2)
    values = [0, 1, -1, 2049, 2051, 65519, 65520, -65520, 2**24 + 1, 2**53 + 1, 2**63 - 1, -2**63, 2**62 + 2**38 + 1]
    values += [int(2.0 ** rng.uniform(0, 63)) * int(rng.choice([-1, 1])) for _ in range(40)]
    rows = []
    with np.errstate(all="ignore"):
        for v in values:
            x = np.array([v], np.int64)
            pattern = f"{v & (2**64 - 1):#x}u"
            single, narrow = x.astype(np.float32).view(np.uint32)[0], x.astype(np.float16).view(np.uint16)[0]
            rows.append(row([pattern, bits64(x.astype(np.float64)[0]), f"{int(single):#x}u", f"{int(narrow):#x}"]))
    return table("integer_row", "integer_rows", rows)


def complexes():
    """Products and quotients of complex128, all special values of a part included, and the magnitude of the first."""
    special = [0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan]
    rng = np.random.default_rng(3)
    parts = [tuple(rng.choice(special, 4)) for _ in range(120)]
    zeros = (0.0, -0.0)
    parts += [(a, b, c, d) for a in (0.0, 1.0, np.inf, np.nan) for b in (0.0, -1.0) for c in zeros for d in zeros]
    parts += [tuple(rng.normal(size=4) * 10.0 ** rng.integers(-3, 4, 4)) for _ in range(30)]
    parts += [tuple(rng.normal(size=4) * 10.0 ** rng.integers(-180, 140, 4)) for _ in range(30)]
    rows = []
    with np.errstate(all="ignore"):
        for a, b, c, d in parts:
            x, y = np.array([complex(a, b)]), np.array([complex(c, d)])
            product, quotient = (x * y)[0], (x / y)[0]
            rows.append(row(bits64(v) for v in (a, b, c, d, product.real, product.imag, quotient.real, quotient.imag,
                                                np.abs(x)[0], np.angle(x)[0])))
    return table("complex_row", "complex_rows", rows)


def limits():
    rows = []
    for name in ("float16", "float32", "float64"):
        f = np.finfo(name)
        rows.append(row([str(dtypes.IDS[name])] + [str(int(getattr(f, k))) for k in
                    ("bits", "nmant", "nexp", "iexp", "machep", "negep", "minexp", "maxexp", "precision")] +
                    [bits64(getattr(f, k)) for k in
                     ("eps", "epsneg", "max", "min", "smallest_normal", "smallest_subnormal", "resolution")]))
    return table("finfo_row", "finfo_rows", rows)


def text():
    """The file's content."""
    lines = ["// Made by tests/oracle/gen_core_tables.py: do not edit. dtypes are the values of gpu::dtype.",
             "// clang-format off"]
    for part in (promotions, triples, weak, halves, casts, integers_to_floating, complexes, limits):
        lines += part()
    return "\n".join(lines)
