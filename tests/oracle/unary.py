"""Elementwise functions of one array: each over all dtypes, in every rank and layout."""

import numpy as np

import calls
import dtypes
import layouts
import truth
import values
from fixture import Error, Fixture, Typed, plain

VARIANTS = [(label, recipe, recipe) for label, recipe in layouts.vector_variants()]

# Other names (asin, radians, around, conj, fix, ...) have no cases of their own: the C++ tests run those of the first name.
TRANSCENDENTAL = {"trigonometric": ["sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh",
                                    "arccosh", "arctanh", "deg2rad", "rad2deg", "sinc"],
                  "exponential": ["exp", "expm1", "exp2", "log", "log10", "log2", "log1p", "cbrt", "i0", "sqrt", "rsqrt"]}
OTHERS = {"arithmetic": ["negative", "positive", "absolute", "fabs", "square", "reciprocal", "sign", "rint", "floor", "ceil",
                         "trunc", "round", "modf", "frexp", "angle", "real", "imag", "conjugate",
                         "nan_to_num"],
          "logic": ["isfinite", "isinf", "isnan", "isneginf", "isposinf", "iscomplex", "isreal", "logical_not", "signbit",
                    "invert", "bitwise_count"]}

# Functions with options: each dictionary is one more call.
OPTIONS = {"round": [{}, {"decimals": 1}, {"decimals": 2}, {"decimals": -1}, {"decimals": -2}],
           "angle": [{}, {"deg": True}],
           "nan_to_num": [{}, {"nan": 1.5, "posinf": 7.0, "neginf": -7.0}]}


def rsqrt(x):
    """CuPy's, which NumPy lacks: as `sqrt`, then the reciprocal."""
    return np.reciprocal(np.sqrt(x))


def i0(x):
    """np.i0, which computes with half arrays in half precision; here in float32, as every other function of half."""
    x = np.asarray(x)
    return np.i0(x.astype(np.float32)).astype(np.float16) if x.dtype == np.float16 else np.i0(x)


def sinc(x):
    """np.sinc, which gives nan for half 0 since its stand-in for 0, 1e-20, is 0 in half; here in float32."""
    x = np.asarray(x)
    return np.sinc(x.astype(np.float32)).astype(np.float16) if x.dtype == np.float16 else np.sinc(x)


def log1p(x):
    """np.log1p, which for complex numbers takes the logarithm of a magnitude that may overflow; there as np.log, which does
    not, and which a 1 more or less does not change."""
    x = np.asarray(x)
    if not np.iscomplexobj(x):
        return np.log1p(x)
    largest = np.finfo(x.dtype).max
    huge = np.isfinite(x) & (np.maximum(np.abs(x.real), np.abs(x.imag)) > largest / 2)
    return np.where(huge, np.log(x), np.log1p(x))


def round_bfloat16(x, decimals=0):
    """np.round, which for half rounds to half after each step; the same for bfloat16."""
    scale = np.float32(10.0 ** abs(decimals))
    up, down = (np.multiply, np.divide) if decimals >= 0 else (np.divide, np.multiply)
    scaled = dtypes.round_bfloat16(up(x, scale)) if decimals else x
    nearest = np.rint(scaled)
    return dtypes.round_bfloat16(down(nearest, scale)) if decimals else nearest


def nan_to_num_bfloat16(x, nan=0.0, posinf=None, neginf=None):
    """np.nan_to_num with the largest bfloat16 for infinities."""
    largest = dtypes.precision("bfloat16")[2]
    return np.nan_to_num(x, nan=nan, posinf=largest if posinf is None else posinf, neginf=-largest if neginf is None else neginf)


BFLOAT16 = {"round": round_bfloat16, "nan_to_num": nan_to_num_bfloat16}
FUNCTIONS = {"rsqrt": rsqrt, "i0": i0, "sinc": sinc, "log1p": log1p}


def i0_series(x):
    """The sum of (x/2)^(2k) / k!^2: positive terms, so as accurate as its type."""
    quarter = x * x / 4
    term = total = np.ones_like(x)
    for k in range(1, 1200):
        term = term * quarter / (np.longdouble(k) * k)
        total = total + term
    return total


def sinc_wide(x):
    pi = np.longdouble("3.14159265358979323846264338327950288")
    y = pi * np.where(x == 0, 1, x)
    return np.where(x == 0, 1, np.sin(y) / y)


WIDE = {"rsqrt": lambda x: 1 / np.sqrt(x), "i0": i0_series, "sinc": sinc_wide}


def tolerance_of(function, source, result, argument, expected):
    """The class of `function`; see truth.py."""
    complex_source = dtypes.is_complex(source)
    if function in TRANSCENDENTAL["trigonometric"] + TRANSCENDENTAL["exponential"]:
        if function == "sqrt" and not complex_source:
            return truth.exact()
        if function == "sinc":  # pi * x is rounded before its sine is taken: an absolute error at the sine's scale
            with np.errstate(all="ignore"):
                return truth.bounds(result, np.abs(expected) + np.cosh(np.pi * np.abs(argument.imag)), 4)
        if function == "exp2" and complex_source:  # the argument times log(2) is rounded: relative to the argument
            with np.errstate(all="ignore"):
                return truth.bounds(result, np.abs(expected) * (1 + np.abs(argument)), 4)
        if function == "i0":  # a polynomial in NumPy too
            return truth.ulp(result, wide=16)
        if complex_source:
            return with_freedom(truth.bounds(result, np.abs(expected), 8), function, argument)
        return truth.ulp(result)
    if function == "square":
        return truth.product(result, argument, argument)
    if complex_source and function in ("absolute", "reciprocal", "sign", "angle"):
        return truth.ulp(result, wide=4)
    if function == "angle":
        return truth.ulp(result, wide=4)
    return truth.exact()


def turned(z):
    """i z, part by part."""
    out = np.empty_like(z)
    out.real, out.imag = -z.imag, z.real
    return out


def unspecified(function, z):
    """Where C leaves a sign of the result to the implementation (C17 annex G.6; for arccosh defect report 471)."""
    if function in ("sin", "cos", "tan", "arcsin", "arctan"):  # defined by sinh(iz) and so on
        z = turned(z)
        function = {"sin": "sinh", "cos": "cosh", "tan": "tanh", "arcsin": "arcsinh", "arctan": "arctanh"}[function]
    re, im = z.real, z.imag
    odd = ~np.isfinite(im)
    return {"exp": np.isinf(re) & odd,
            "sinh": (np.isinf(re) | (re == 0)) & odd,
            "cosh": (np.isinf(re) | (re == 0)) & odd | np.isnan(re) & (im == 0),
            "tanh": np.isinf(re) & odd,
            "arcsinh": np.isnan(re) & np.isinf(im),
            "arctanh": np.isnan(re) & np.isinf(im),
            "sqrt": np.isinf(re) & np.isnan(im),
            "arccosh": (re == 0) & np.isnan(im)}.get(function, np.zeros(z.shape, dtype=bool))


def with_freedom(tolerance, function, argument):
    kind, bound = tolerance
    return kind, np.where(unspecified(function, argument), np.nan, bound)


def outcome(function, typed, options):
    """The results of one call on a pool array, or an `Error`."""
    numpy_function = FUNCTIONS.get(function) or getattr(np, function)
    if typed.name == "bfloat16":
        numpy_function = BFLOAT16.get(function, numpy_function)
    results = calls.attempt(numpy_function, [typed], **options)
    if isinstance(results, Error):
        assert results.kind == "TypeError", (function, typed.name, results.message)
        return results
    expected = []
    for result in results:
        array = result.array
        if function in sum(TRANSCENDENTAL.values(), []) and not (function == "sqrt" and not dtypes.is_complex(typed.name)):
            array = refined(function, numpy_function, typed, result)
        tolerance = tolerance_of(function, typed.name, result.name, typed.array, array)
        expected.append(calls.expect(Typed(result.name, array), tolerance, VARIANTS))
    calls.check_variants(numpy_function, [typed], VARIANTS, expected, (function, typed.name), **options)
    return expected


def refined(function, numpy_function, typed, result):
    wide_type = truth.WIDE[result.name]
    wide_input = dtypes.convert(result.name, typed.array).astype(wide_type)
    with np.errstate(all="ignore"):
        wide = WIDE.get(function, numpy_function)(wide_input)
    limit = 8
    if function in ("sinc", "exp2"):  # checked by their bounds instead
        limit = np.inf
    return truth.refine(result.name, result.array, wide, limit, function)


def skipped(function, name, options):
    """What has no counterpart: CuPy's rsqrt is real; np.round(bool, decimals) raises, which depends on a value here."""
    return (function == "rsqrt" and name in dtypes.COMPLEX) or (name == "bool" and bool(options.get("decimals")))


def argument(name, options):
    """The pool array; without the extremes of an integer dtype where rounding to tens would leave the dtype."""
    typed = values.vector(name)
    if name in dtypes.INTEGERS and options.get("decimals", 0) < 0:
        info = np.iinfo(name)
        fits = (typed.array <= info.max // 100 * 100 - 50) & (typed.array >= -(-info.min // 100 * 100) + 50 * (info.min < 0))
        return Typed(name, np.where(fits, typed.array, 45))
    return typed


def topic(functions):
    """The fixture of some functions of one array."""
    fixture = Fixture()
    for function in functions:
        for name in dtypes.NAMES:
            for options in OPTIONS.get(function, [{}]):
                if skipped(function, name, options):
                    continue
                typed = argument(name, options)
                result = outcome(function, typed, options)
                operand = plain(typed) if isinstance(result, Error) else calls.family(VARIANTS, typed, 0)
                fixture.add(function, [operand], result, **options)
    return fixture


def topics():
    groups = {**TRANSCENDENTAL, **OTHERS}
    return {f"unary_{group}": (lambda functions=functions: topic(functions)) for group, functions in groups.items()}
