"""Makes tests/fixtures/npy_cases.tsv: .npy files made by NumPy, variations that it reads, and malformed ones.

One case a line, tab separated, the file percent-encoded:
  saved | accepted   dtype, C or F, shape (2,3), elements in C order as little-endian hexadecimal bytes, file
  rejected           reason (part of the message), file
`saved` files are what numpy.save writes for a native array, so ours must be the same bytes.
NumPy reads void as 2 bytes what ml_dtypes saves of a bfloat16 array, with the descr that is made here by hand.
"""

import io
import random
import struct
from urllib.parse import quote_from_bytes

import numpy as np

DTYPES = (["bool"] + [f"{s}int{b}" for s in ("", "u") for b in (8, 16, 32, 64)] +
          ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"])
SHAPES = [(), (0,), (1,), (5,), (2, 3), (3, 2), (0, 3), (3, 1), (2, 1, 3), (2, 3, 4)]

rng = np.random.default_rng(7)
pick = random.Random(7)


def elements(dtype, shape):
    count = int(np.prod(shape, dtype=int))
    if dtype == "bool":
        return rng.integers(0, 2, count).astype(bool).reshape(shape)
    bits = np.dtype("V2" if dtype == "bfloat16" else dtype)
    return rng.integers(0, 256, count * bits.itemsize, np.uint8).view(bits).reshape(shape)


def saved(array, version=None):
    file = io.BytesIO()
    if version is None:
        np.save(file, array)
    else:
        np.lib.format.write_array(file, array, version)
    return file.getvalue()


def as_bfloat16(data):
    """What ml_dtypes' descr makes of NumPy's |V2."""
    return data.replace(b"'descr': '|V2'", b"'descr': '<V2'", 1)


def encoded(data):
    return quote_from_bytes(data, safe=" {}()[]'\":,|<>.-+=/")


def good(kind, dtype, fortran, array, data):
    loaded = np.load(io.BytesIO(data))
    assert loaded.shape == array.shape and loaded.tobytes() == array.astype(loaded.dtype).tobytes(), data
    native = array if dtype == "bfloat16" else array.astype(array.dtype.newbyteorder("<"))
    shape = ",".join(map(str, array.shape))
    return "\t".join([kind, dtype, "F" if fortran else "C", shape, native.tobytes().hex(), encoded(data)])


def wrapped(header, data=b"", version=(1, 0), length=None):
    """A file with that header, neither padded nor checked."""
    header = header.encode("latin1")
    size = struct.pack("<H" if version == (1, 0) else "<I", len(header) if length is None else length)
    return b"\x93NUMPY" + bytes(version) + size + header + data


def numpy_cases():
    for dtype in DTYPES:
        for shape in SHAPES:
            array = elements(dtype, shape)
            for fortran in (False, True):
                ordered = np.asarray(array, order="F" if fortran else "C")
                written_fortran = ordered.flags.f_contiguous and not ordered.flags.c_contiguous
                if fortran and not written_fortran:
                    continue
                data = saved(ordered)
                data = as_bfloat16(data) if dtype == "bfloat16" else data
                yield good("saved", dtype, fortran, ordered, data)
                version = pick.choice([(1, 0), (2, 0), (3, 0)])
                data = saved(ordered, version)
                data = as_bfloat16(data) if dtype == "bfloat16" and pick.random() < 0.5 else data
                yield good("accepted", dtype, fortran, ordered, data)
                if dtype != "bfloat16" and ordered.dtype.itemsize > 1:
                    swapped = ordered.astype(ordered.dtype.newbyteorder(">"))
                    yield good("accepted", dtype, fortran, ordered, saved(swapped, version))


def accepted_variations():
    array = np.arange(6, dtype="<f4").reshape(2, 3)
    raw = array.tobytes()
    for header in [
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n",
        "{'shape': (2, 3), 'descr': '<f4', 'fortran_order': False}",
        "{\"fortran_order\":False,\"shape\":(2,3,),\"descr\":\"<f4\"}",
        "  {  'descr' : '<f4' ,\n'fortran_order'\t:False,'shape':( 2 ,\n 3 ) , } \n\n",
        "{'descr': '=f4', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '|f4', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': 'f4', 'fortran_order': False, 'shape': (2, 3)}",
    ]:
        yield good("accepted", "float32", False, array, wrapped(header, raw))
        yield good("accepted", "float32", False, array, wrapped(header, raw + b"behind the data", (2, 0)))
    header = "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }" + " " * 9000
    yield good("accepted", "float32", True, array, wrapped(header, array.tobytes("F"), (3, 0)))
    flags = np.array([True, False, True])
    yield good("accepted", "bool", False, flags,
               wrapped("{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", b"\xff\x00\x02").replace(
                   b"\xff\x00\x02", flags.tobytes()))
    small = np.arange(3, dtype=np.int8)
    for order in "<>=|":
        header = f"{{'descr': '{order}i1', 'fortran_order': False, 'shape': (3,)}}"
        yield good("accepted", "int8", False, small, wrapped(header, small.tobytes()))
    scalar = np.array(7, "<u8")
    yield good("accepted", "uint64", True, scalar,
               wrapped("{'descr': '<u8', 'fortran_order': True, 'shape': ( )}", scalar.tobytes()))


def rejected():
    def header(descr="'<f4'", order="False", shape="(2, 3)"):
        return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"

    raw = bytes(24)
    for shape, reason in [
        ("(-1, 3)", "negative"), ("(2, -3)", "negative"), ("(2)", "not a tuple"), ("2", "not a tuple"),
        ("[2, 3]", "not a tuple"), ("None", "not a tuple"), ("(2.0, 3)", "malformed"), ("('2', 3)", "integers"),
        ("(2 3)", "malformed"), ("(2,, 3)", "integers"), ("(,)", "integers"), ("(2, 3", "integers"), ("(", "integers"),
        ("(2L, 3L)", "malformed"), ("(True, 3)", "integers"), ("(02, 3)", "leading zeros"), ("(0x2, 3)", "malformed"),
        ("(+2, 3)", "integers"), ("(2_0, 3)", "malformed"), ("((2, 3))", "integers"),
        ("(4294967296, 4294967296)", "too big"), ("(9223372036854775807,)", "too big"),
        ("(9223372036854775808,)", "too large"), ("(99999999999999999999999999, 0)", "too large"),
        ("(4611686018427387904, 0, 4611686018427387904)", "too big"), ("(2305843009213693952,)", "too big"),
        ("(2305843009213693951,)", "truncated"), ("(1000000000000,)", "truncated"), ("(7,)", "truncated"),
        ("(" + "1, " * 17 + ")", "largest rank"), ("(" + "1, " * 3000 + ")", "largest rank"),
    ]:
        yield reason, wrapped(header(shape=shape), raw)
    for descr, reason in [
        ("'|O'", "Python objects"), ("'O8'", "Python objects"), ("[('a', '<i4'), ('b', '<f8')]", "[('a', '<i4')"),
        ("('<f4', (2,))", "structured"), ("'<U3'", "'<U3'"), ("'|S3'", "'|S3'"), ("'<M8[ns]'", "<M8[ns]"),
        ("'<m8'", "'<m8'"), ("'<f16'", "'<f16'"), ("'<c32'", "'<c32'"), ("'|V3'", "'|V3'"), ("'|V4'", "'|V4'"),
        ("''", "''"), ("'<'", "'<'"), ("'<f'", "'<f'"), ("'f44'", "'f44'"), ("'<<f4'", "'<<f4'"), ("'<i3'", "'<i3'"),
        ("None", "a string for descr"), ("4", "a string for descr"), ("'<f4", "'<f4, '"),
        ("'<f4\\n'", "malformed string"), ("'\x00\xff'", "\\x00\\xff"), ("'" + "x" * 5000 + "'", "xxx..."),
    ]:
        yield reason, wrapped(header(descr=descr), raw)
    for order, reason in [("0", "True or False"), ("None", "True or False"), ("true", "True or False"),
                          ("'False'", "True or False"), ("Falsehood", "',' or '}'"), ("", "True or False")]:
        yield reason, wrapped(header(order=order), raw)
    for text, reason in [
        ("", "a dictionary"), ("\n", "a dictionary"), ("{}", "lacks 'descr'"), ("{", "a key"), ("[]", "a dictionary"),
        ("{'descr': '<f4', 'shape': (6,)}", "lacks 'fortran_order'"),
        ("{'descr': '<f4', 'fortran_order': False}", "lacks 'shape'"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'more': 1}", "unexpected key 'more'"),
        ("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (6,)}", "twice"),
        ("{'descr' '<f4', 'fortran_order': False, 'shape': (6,)}", "':'"),
        ("{'descr': '<f4' 'fortran_order': False, 'shape': (6,)}", "',' or '}'"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (6,)} or 1", "goes on"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (6,)}\x00", "goes on"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (6,)", "',' or '}'"),
        ("{descr: '<f4', 'fortran_order': False, 'shape': (6,)}", "a key"),
        ("__import__('os').system('true')", "a dictionary"), ("{" * 9000, "a key"),
    ]:
        yield reason, wrapped(text, raw)
    fine = header()
    yield "truncated", wrapped(fine, raw[:-1])
    yield "truncated", wrapped(fine)
    yield "within its header", wrapped(fine, length=len(fine) + 1)
    yield "within its header", wrapped(fine, raw, length=9999)
    yield "claims 65535 bytes", wrapped(fine, raw, length=65535)
    yield "claims 4294967295 bytes", wrapped(fine, raw, (2, 0), length=2**32 - 1)
    yield "claims 10001 bytes", wrapped(fine + " " * (10001 - len(fine)), raw, (2, 0))
    yield "goes on", wrapped(fine + "x", raw)
    yield "malformed: (2, 3", wrapped(fine, raw, length=len(fine) - 4)
    for version in [(0, 0), (1, 1), (2, 1), (3, 1), (4, 0), (255, 255)]:
        data = bytearray(wrapped(fine, raw))
        data[6:8] = bytes(version)
        yield "version", bytes(data)
    yield "empty", b""
    yield "not a .npy file", b"\x93NUMP"
    yield "not a .npy file", b"PK\x03\x04" + bytes(60)
    yield "not a .npy file", b"\x92NUMPY" + wrapped(fine, raw)[6:]
    for end in range(6, 12):
        yield "within its header", wrapped(fine, raw, (3, 0))[:end]


def text():
    """The file's content."""
    lines = list(numpy_cases()) + list(accepted_variations())
    lines += ["\t".join(["rejected", reason, encoded(data)]) for reason, data in rejected()]
    return "\n".join(lines) + "\n"
