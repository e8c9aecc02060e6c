"""The library's element types as NumPy sees them.

NumPy has no bfloat16: here a bfloat16 array is a float32 array whose values bfloat16 can hold (`round_bfloat16`), and
its bytes are the upper halves of the floats. Everything else is NumPy's own dtype of the same name.
"""

import numpy as np

# The order is `enum class gpu::dtype` (include/gpu/core/dtype.hpp); the index is the id in the fixtures.
NAMES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "float16", "bfloat16", "float32", "float64", "complex64", "complex128"]
IDS = {name: index for index, name in enumerate(NAMES)}

SIGNED = NAMES[1:5]
UNSIGNED = NAMES[5:9]
INTEGERS = SIGNED + UNSIGNED
REALS = NAMES[9:13]
COMPLEX = NAMES[13:]


def numpy_dtype(name):
    """The NumPy dtype that holds values of `name` (float32 for bfloat16)."""
    return np.dtype("float32" if name == "bfloat16" else name)


def round_bfloat16(values):
    """`values` (float32 or wider) rounded to the nearest bfloat16, ties to even, as float32."""
    bits = np.asarray(values, dtype=np.float32).view(np.uint32)
    rounded = (bits + (np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1)))) & np.uint32(0xFFFF0000)
    is_nan = (bits & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000)
    return np.where(is_nan, np.uint32(0x7FC00000), rounded).astype(np.uint32).view(np.float32).reshape(np.shape(values))


def round_bfloat16_once(values):
    """`values` of any real type rounded to bfloat16 in one step: to float32 with a sticky last bit, then as above."""
    wide = np.asarray(values).astype(np.longdouble)
    with np.errstate(all="ignore"):
        nearest = wide.astype(np.float32)
        inward = np.where(np.abs(nearest.astype(np.longdouble)) > np.abs(wide), np.nextafter(nearest, np.float32(0)), nearest)
    inexact = (inward.astype(np.longdouble) != wide) & ~np.isnan(wide)
    sticky = np.asarray(inward, np.float32).view(np.uint32) | inexact.astype(np.uint32)
    return round_bfloat16(sticky.view(np.float32))


def convert(name, values):
    """`values` as an array of dtype `name`, rounding as a NumPy cast does."""
    with np.errstate(all="ignore"):
        array = np.asarray(values).astype(numpy_dtype(name))
    return round_bfloat16(array) if name == "bfloat16" else array


def encode(name, array):
    """The bytes of `array` in C order, little-endian."""
    array = np.ascontiguousarray(array, dtype=numpy_dtype(name))
    if name == "bfloat16":
        return (array.view(np.uint32) >> np.uint32(16)).astype("<u2").tobytes()
    return array.astype(array.dtype.newbyteorder("<")).tobytes()


def decode(name, data, shape):
    """The inverse of `encode`."""
    if name == "bfloat16":
        return (np.frombuffer(data, "<u2").astype(np.uint32) << np.uint32(16)).view(np.float32).reshape(shape)
    return np.frombuffer(data, numpy_dtype(name).newbyteorder("<")).reshape(shape)


def itemsize(name):
    return 2 if name == "bfloat16" else numpy_dtype(name).itemsize


def precision(name):
    """(eps, smallest subnormal, largest) of the real type behind `name`."""
    if name == "bfloat16":
        return 2.0**-7, 2.0**-133, float(round_bfloat16(np.float32(3.3895314e38)))
    info = np.finfo(numpy_dtype(name))
    return float(info.eps), float(info.smallest_subnormal), float(info.max)


def is_inexact(name):
    return name in REALS or name in COMPLEX


def is_complex(name):
    return name in COMPLEX
