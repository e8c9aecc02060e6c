"""CuPy's times for the names of the benchmarks, on the same GPU, as a CuPy user writes them (one kernel a line).

cupy_peers.py [BENCHMARK.json]: with the JSON file that Google Benchmark wrote in the same session, the ratios too.
"""
import json
import sys

import cupy as cp

SIDE = 4096
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def cases():
    a, b, c = (cp.random.random((SIDE, SIDE), dtype=cp.float32) for _ in range(3))
    row, column, mask = b[0].copy(), b[:, :1].copy(), c > 0.5
    cube = a.reshape(256, 512, 128)
    small = cp.ones(1000, cp.float32)

    yield "multiply_add", lambda: a * b + c * c
    yield "broadcast_row", lambda: a * row
    yield "broadcast_column", lambda: a * column
    yield "transposed", lambda: a * b.T
    yield "where", lambda: cp.where(mask, a, b)
    yield "exponential", lambda: cp.exp(a) * 2 + 1
    yield "sum_all", lambda: cp.sum(a)
    for axis in range(3):
        yield f"sum_axis/{axis}", lambda axis=axis: cp.sum(cube, axis=axis)
    yield "small_add_new", lambda: small + small
    for n in (100, 1000, 2000):
        x, y = cp.ones((n, n), cp.float32), cp.ones((n, n), cp.float32)
        yield f"matmul/{n}", lambda x=x, y=y: x @ y


def best_time(function):
    """Seconds for one call in a row of calls, on the device; the best of five rows."""
    begin, end = cp.cuda.Event(), cp.cuda.Event()
    function()
    best = float("inf")
    for _ in range(5):
        begin.record()
        for _ in range(20):
            function()
        end.record()
        end.synchronize()
        best = min(best, cp.cuda.get_elapsed_time(begin, end) / 1e3 / 20)
    return best


def main():
    ours = {}
    if len(sys.argv) > 1:
        with open(sys.argv[1]) as file:
            for r in json.load(file)["benchmarks"]:
                if not r.get("error_occurred"):
                    ours[r["name"].removesuffix("/real_time")] = r["real_time"] * UNITS[r["time_unit"]]
    print(f"CuPy {cp.__version__}")
    for name, function in cases():
        peer = best_time(function)
        line = f"{name:18} {peer * 1e3:9.4f} ms"
        if name in ours:
            line += f"   gpuarray {ours[name] * 1e3:9.4f} ms   ratio {peer / ours[name]:6.2f}"
        print(line)


main()
