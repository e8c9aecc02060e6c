"""Makes tests/fixtures/print_cases.tsv: arrays, printing options, and what NumPy 2 prints.

One case a line, tab separated, text percent-encoded:
  function (array2string, array_repr, array_str), options (name=value;...), dtype, shape (2,3), elements, result
Elements are hexadecimal little-endian bytes in C order, or `range:start:step:count` for arrays worth shortening.
NumPy has no bfloat16; its printing code is run on float32 values with digits chosen for bfloat16.
"""

import contextlib
import math
import random
from fractions import Fraction
from urllib.parse import quote

import numpy as np
from numpy._core import arrayprint

FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
FRACTION_BITS = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}
LEAST_EXPONENT = {"float16": -14, "bfloat16": -126, "float32": -126, "float64": -1022}
SHAPES = [(), (), (1,), (2,), (3,), (5,), (7,), (12,), (25,), (2, 3), (3, 2), (4, 5), (1, 9), (2, 1), (2, 2, 3),
          (1, 3, 2), (2, 3, 2), (2, 1, 2, 2), (1, 2, 2, 3), (0,), (0, 3), (2, 0), (1, 0, 2)]

rng = random.Random(20250101)


# Digits by the definition, with fractions; checked against NumPy's own for the types that it has.
def decimal_digits(value, kind, unique, cutoff, least):
    """Digits and exponent of the first of |value| > 0; `cutoff`/`least` are exponents of the last digit, or None."""
    value = Fraction(abs(float(value)))
    exponent = max(math.frexp(float(value))[1] - 1, LEAST_EXPONENT[kind])
    unit = Fraction(2) ** (exponent - FRACTION_BITS[kind])
    mantissa = value / unit
    assert mantissa.denominator == 1
    power_of_two = mantissa == 2 ** FRACTION_BITS[kind] and exponent > LEAST_EXPONENT[kind]
    below, above = (unit / 4 if power_of_two else unit / 2), unit / 2
    inclusive = mantissa % 2 == 0
    first = math.floor(math.log10(value)) if value > Fraction(1, 10**300) else -330
    while Fraction(10) ** (first + 1) <= value:
        first += 1
    while Fraction(10) ** first > value:
        first -= 1
    cutoff, least = (None if c is None else c(first) for c in (cutoff, least))
    if cutoff is not None and first < cutoff:
        first = cutoff
    digits, place, rest = [], first, value
    while True:
        scale = Fraction(10) ** place
        digit = rest // scale
        rest -= digit * scale
        low = unique and (rest <= below if inclusive else rest < below)
        high = unique and (rest + above >= scale if inclusive else rest + above > scale)
        digits.append(int(digit))
        done = (low or high) and (least is None or place <= least) if unique else rest == 0
        if done or place == cutoff:
            break
        place -= 1
    up = high if low != high else (2 * rest > scale or (2 * rest == scale and digits[-1] % 2 == 1))
    if up:
        number = int("".join(map(str, digits))) + 1
        text = str(number).rjust(len(digits), "0")
        first += len(text) - len(digits)
        digits = [int(c) for c in text.rstrip("0")]
    return "".join(map(str, digits)), first


def trimmed(fraction, trim, wanted):
    if trim == "k":
        return "." + fraction.ljust(wanted, "0")
    fraction = fraction.rstrip("0")
    return {".": "." + fraction, "0": "." + (fraction or "0"), "-": "." + fraction if fraction else ""}[trim]


def positional(kind, x, precision=-1, min_digits=-1, unique=True, fractional=True, trim="k", sign=False, pad_left=-1,
               pad_right=-1):
    assert fractional
    cutoff = None if precision is None or precision < 0 else (lambda first: -precision)
    least = None if min_digits is None or min_digits < 0 else (lambda first: -min_digits)
    digits, first = ("0", 0) if x == 0 else decimal_digits(x, kind, unique, cutoff, least)
    digits = "0" * -first + digits if first < 0 else digits
    whole = max(first, 0) + 1
    digits = digits.ljust(whole, "0")
    text = trimmed(digits[whole:], trim, min_digits if unique else precision)
    signs = "-" if np.signbit(x) else "+" if sign else ""
    text += " " * (pad_right - len(text) + 1)
    return (signs + digits[:whole]).rjust(max(pad_left, 0)) + text


def scientific(kind, x, precision=-1, min_digits=-1, unique=True, trim="k", sign=False, pad_left=-1, exp_digits=-1):
    cutoff = None if precision is None or precision < 0 else (lambda first: first - precision)
    least = None if min_digits is None or min_digits < 0 else (lambda first: first - min_digits)
    digits, first = ("0", 0) if x == 0 else decimal_digits(x, kind, unique, cutoff, least)
    signs = "-" if np.signbit(x) else "+" if sign else ""
    text = trimmed(digits[1:], trim, min_digits if unique else precision)
    exponent = str(abs(first)).rjust(max(exp_digits, 2) if exp_digits >= 0 else 2, "0")
    return (signs + digits[0]).rjust(max(pad_left, 0)) + text + "e" + "+-"[first < 0] + exponent


@contextlib.contextmanager
def bfloat16_printing():
    saved = arrayprint.dragon4_positional, arrayprint.dragon4_scientific, arrayprint.dtype_short_repr
    arrayprint.dragon4_positional = lambda x, **k: positional("bfloat16", x, **k)
    arrayprint.dragon4_scientific = lambda x, **k: scientific("bfloat16", x, **k)
    arrayprint.dtype_short_repr = lambda dtype: "bfloat16"
    try:
        yield
    finally:
        arrayprint.dragon4_positional, arrayprint.dragon4_scientific, arrayprint.dtype_short_repr = saved


def bfloat16_str(x):
    if not np.isfinite(x):
        return str(x)
    if x == 0 or 1e-4 <= abs(float(x)) < 1e16:
        return positional("bfloat16", x, trim="0")
    return scientific("bfloat16", x, trim="-")


def to_bfloat16(values):
    """float32 values rounded to the nearest bfloat16."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    nan = np.isnan(np.asarray(values, np.float32))
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16) << 16
    rounded = np.where(nan, 0x7FC00000 | (bits & 0x80000000), rounded)
    return rounded.astype(np.uint32).view(np.float32)


def check_own_digits():
    for kind in ("float16", "float32", "float64"):
        for _ in range(400):
            with np.errstate(over="ignore"):
                x = np.dtype(kind).type(float_value(kind, rng.choice(FAMILIES)))
            if not np.isfinite(x):
                continue
            p = rng.randrange(0, 12)
            for trim in ".k0-":
                for unique in (True, False) if trim in ".k" else (True,):
                    k = dict(precision=p, unique=unique, trim=trim, min_digits=rng.randrange(0, p + 1))
                    if not unique:
                        k["min_digits"] = -1
                    elif trim in "0-":  # str of a scalar: all digits
                        k["precision"] = k["min_digits"] = -1
                    ours, theirs = scientific(kind, x, **k), arrayprint.dragon4_scientific(x, **k)
                    assert ours == theirs, (kind, x, k, ours, theirs)
                    ours, theirs = positional(kind, x, **k), arrayprint.dragon4_positional(x, fractional=True, **k)
                    assert ours == theirs, (kind, x, k, ours, theirs)


FAMILIES = ["integers", "tenths", "unit", "wide", "special", "extreme", "large", "ratio", "powers", "bits", "tiny"]


def float_value(kind, family):
    sign = rng.choice([1, 1, -1])
    if family == "integers":
        return float(rng.randrange(-20, 100))
    if family == "tenths":
        return rng.randrange(-50, 50) / 10
    if family == "unit":
        return rng.uniform(-1, 1)
    if family == "wide":
        return sign * 10 ** rng.uniform(-6, 6)
    if family == "special":
        return rng.choice([math.nan, -math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, 2.5, -1.25])
    if family == "extreme":
        bits = FRACTION_BITS[kind]
        least = 2.0 ** (LEAST_EXPONENT[kind] - bits)
        most = (2 - 2.0**-bits) * 2.0 ** (1 - LEAST_EXPONENT[kind])
        return sign * rng.choice([least, 3 * least, 2.0 ** LEAST_EXPONENT[kind], most, most / 3, 1.0, 0.0])
    if family == "large":
        return sign * rng.choice([1e8, 99999999.0, 123456789.0, 1e15, 1e16, 9007199254740993.0, 65504.0, 1e23])
    if family == "ratio":
        return rng.choice([1.0, 1000.0, 1000.5, 1001.0, 1002.0, 999.9, 0.001, 0.0001, 0.00009999, 0.1, 0.00010001])
    if family == "powers":
        return sign * 2.0 ** rng.randrange(LEAST_EXPONENT[kind] // 2, -LEAST_EXPONENT[kind] // 2)
    if family == "tiny":
        return sign * rng.choice([1e-4, 9.9e-5, 1e-8, 4.9e-9, 5e-9, 5.1e-9, 0.5, 0.05, 0.25, 0.125])
    bits = {"float16": 16, "bfloat16": 16, "float32": 32, "float64": 64}[kind]
    raw = rng.getrandbits(bits)
    if kind == "bfloat16":
        return float(np.uint32(raw << 16).view(np.float32))
    return float(np.dtype(f"u{bits // 8}").type(raw).view(kind))


def elements(dtype, count):
    """`count` values; bfloat16 as float32."""
    if dtype == "bool":
        return np.array([rng.random() < 0.5 for _ in range(count)], bool)
    if dtype in INTEGERS:
        info = np.iinfo(dtype)
        low, high = rng.choice([(0, 10), (-5, 100), (info.min, info.max), (info.min, 0), (info.max - 3, info.max)])
        low, high = max(low, info.min), min(high, info.max)
        return np.array([rng.randint(low, high) for _ in range(count)], dtype)
    if dtype in COMPLEX:
        part = {"complex64": "float32", "complex128": "float64"}[dtype]
        result = np.empty(count, dtype)
        result.real, result.imag = elements(part, count), elements(part, count)
        return result
    family = rng.choice(FAMILIES)
    mixed = rng.random() < 0.25
    values = [float_value(dtype, rng.choice(FAMILIES) if mixed else family) for _ in range(count)]
    with np.errstate(all="ignore"):
        return to_bfloat16(values) if dtype == "bfloat16" else np.array(values, dtype)


def some_options(function):
    options = {}
    if rng.random() < 0.25:
        return options
    choices = {
        "precision": [0, 1, 2, 3, 4, 6, 8, 12, 17, 25],
        "suppress": [True],
        "sign": ["-", "+", " "],
        "floatmode": ["fixed", "unique", "maxprec", "maxprec_equal"],
        "linewidth": [1, 12, 20, 30, 40, 60, 75, 120],
        "threshold": [0, 2, 5, 1000],
        "edgeitems": [0, 1, 2, 3, 4],
        "nanstr": ["NA", "not a number", "∅"],
        "infstr": ["∞", "Infinity", "i"],
    }
    if function == "array2string":
        choices |= {"separator": [", ", ",", "  ", " | ", "", ";\t"], "prefix": ["a = ", "12345678"]}
        choices |= {"suffix": [";", ")))"]}
    for name in rng.sample(sorted(choices), rng.randrange(1, 5)):
        options[name] = rng.choice(choices[name])
    return options


def printed(function, array, options, bfloat16):
    local = {k: options[k] for k in ("separator", "prefix", "suffix") if k in options}
    common = {k: v for k, v in options.items() if k not in local}
    with np.printoptions(**common), bfloat16_printing() if bfloat16 else contextlib.nullcontext():
        if bfloat16 and function == "array_str" and array.shape == ():
            return bfloat16_str(array[()])
        return getattr(np, function)(array, **local)


def line(function, options, dtype, shape, source, array):
    result = printed(function, array, options, dtype == "bfloat16")
    values = ";".join(f"{k}={quote(str(int(v) if isinstance(v, bool) else v), safe='')}" for k, v in options.items())
    return "\t".join([function, values, dtype, ",".join(map(str, shape)), source, quote(result, safe=" ()[],.+-=:")])


def random_case(dtype):
    function = rng.choice(["array2string", "array2string", "array_repr", "array_str"])
    shape = rng.choice(SHAPES)
    array = elements(dtype, math.prod(shape)).reshape(shape)
    raw = array
    if dtype == "bfloat16":
        raw = (array.view(np.uint32) >> 16).astype(np.uint16) if shape else np.uint16(array.view(np.uint32) >> 16)
    return line(function, some_options(function), dtype, shape, np.asarray(raw).tobytes().hex(), array)


def range_case(dtype, shape, options, function):
    count = math.prod(shape)
    start, step = rng.choice([(0, 1), (-3, 1), (1, 3)])
    if dtype == "bool":
        start, step = 0, 1
        array = np.arange(count) % 2 == 1
    elif dtype == "bfloat16":
        array = to_bfloat16(np.arange(count) * step + start)
    else:
        array = (np.arange(count) * step + start).astype(dtype)
    return line(function, options, dtype, shape, f"range:{start}:{step}:{count}", array.reshape(shape))


def text():
    """The file's content."""
    check_own_digits()
    lines = []
    for dtype in FLOATS:
        lines += [random_case(dtype) for _ in range(270)]
    for dtype in COMPLEX:
        lines += [random_case(dtype) for _ in range(180)]
    for dtype in INTEGERS + ["bool"]:
        lines += [random_case(dtype) for _ in range(60)]
    for dtype in ["bool", "int8", "int32", "uint64"] + FLOATS + COMPLEX:
        for shape in [(1001,), (1200,), (40, 40), (2, 1000), (500, 3), (11, 10, 12), (4, 5, 8, 9), (1001, 1)]:
            options = {} if rng.random() < 0.4 else some_options("array_str")
            options.pop("threshold", None)
            if rng.random() < 0.2:
                options["edgeitems"] = rng.choice([1, 2, 5])
            lines.append(range_case(dtype, shape, options, rng.choice(["array2string", "array_repr", "array_str"])))
    lines.append(range_case("int64", (1000,), {}, "array_str"))
    return "\n".join(lines) + "\n"
