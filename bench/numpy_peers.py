"""NumPy's times for the names of the benchmarks, and the ratios: numpy_peers.py BENCHMARK.json THREADS.

The JSON file is what Google Benchmark wrote in the same session. NumPy computes on one thread, into existing memory.
"""
import json
import os
import sys
import timeit

os.environ.setdefault("OPENBLAS_NUM_THREADS", sys.argv[2])
os.environ.pop("OPENBLAS_CORETYPE", None)
os.environ.pop("OPENBLAS_L2_SIZE", None)
import numpy as np  # noqa: E402  (after the variables that its BLAS reads)

SIDE = 4096


def cases():
    rng = np.random.default_rng(1)
    a, b, c = (rng.random((SIDE, SIDE), dtype=np.float32) for _ in range(3))
    out, scratch = np.empty_like(a), np.empty_like(a)
    row, column, mask = b[0].copy(), b[:, :1].copy(), c > 0.5
    cube = a.reshape(256, 512, 128)
    small, small_out = np.ones(1000, np.float32), np.empty(1000, np.float32)

    def multiply_add():
        np.multiply(a, b, out=out)
        np.multiply(c, c, out=scratch)
        np.add(out, scratch, out=out)

    def exponential():
        np.exp(a, out=out)
        np.multiply(out, np.float32(2), out=out)
        np.add(out, np.float32(1), out=out)

    yield "multiply_add", multiply_add, 3.0, 5.0
    yield "broadcast_row", lambda: np.multiply(a, row, out=out), 3.0, 5.0
    yield "broadcast_column", lambda: np.multiply(a, column, out=out), 2.2, 4.0
    yield "transposed", lambda: np.multiply(a, b.T, out=out), 3.0, 5.0
    yield "where", lambda: np.where(mask, a, b), 3.0, 5.0
    yield "exponential", exponential, 2.5, 5.0
    yield "sum_all", lambda: np.sum(a), 1.0, 1.0
    for axis in range(3):
        yield f"sum_axis/{axis}", lambda axis=axis: np.sum(cube, axis=axis), 1.0, 1.0
    yield "small_add", lambda: np.add(small, small, out=small_out), 2.0, 2.0
    yield "small_add_new", lambda: small + small, 2.0, 2.0


def sum_errors():
    """The root mean square of the relative errors of NumPy's sums, as reduce_bench.cpp has it."""
    a = np.random.default_rng(1).random((256, 512, 128), dtype=np.float32)

    def error(sums, exact):
        return float(np.sqrt(np.mean(np.square((sums - exact) / exact))))

    parts = a.reshape(256, -1)
    yield "sum_all", error(np.array([np.sum(p) for p in parts]), np.sum(parts, axis=1, dtype=np.float64))
    for axis in range(3):
        yield f"sum_axis/{axis}", error(np.sum(a, axis=axis), np.sum(a, axis=axis, dtype=np.float64))


def best_time(function):
    timer = timeit.Timer(function)
    number, _ = timer.autorange()
    return min(timer.repeat(5, max(1, number // 5))) / max(1, number // 5)


def main():
    units = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
    with open(sys.argv[1]) as file:
        results = json.load(file)["benchmarks"]
    ours, errors = {}, {}
    for r in results:
        if r.get("error_occurred") or r.get("run_type") == "aggregate":
            continue
        name = r["name"].removesuffix("/real_time").removesuffix("/threads:1")
        seconds = r["real_time"] * units[r["time_unit"]]
        ours[name] = min(ours.get(name, seconds), seconds)
        if "error" in r:
            errors[name] = r["error"]
    threads = int(sys.argv[2])
    print(f"{'':18} {'gpuarray':>12} {'NumPy':>12} {'ratio':>7} {'goal':>6}   ({threads} thread{'s' * (threads > 1)})")
    for name, function, goal1, goal2 in cases():
        if name not in ours:
            continue
        peer = best_time(function)
        ratio, goal = peer / ours[name], goal1 if threads == 1 else goal2
        print(f"{name:18} {ours[name] * 1e3:9.4f} ms {peer * 1e3:9.4f} ms {ratio:7.2f} {goal:6.2f}{'' if ratio >= goal else '  MISSED'}")
    # The limits are loops by hand with streaming stores: no program for this memory is much faster.
    peers = [("multiply_add", "openmp_loop", 0.9), ("multiply_add", "limit_multiply_add", 0.9),
             ("broadcast_row", "limit_broadcast_row", 0.9)]
    for name, peer, goal in peers + [(f"matmul/{n}", f"cblas/{n}", 0.97) for n in (100, 1000, 2000)]:
        if name in ours and peer in ours:
            ratio = ours[peer] / ours[name]
            print(f"{name:18} {ours[name] * 1e3:9.4f} ms {ours[peer] * 1e3:9.4f} ms {ratio:7.2f} {goal:6.2f}   against {peer}{'' if ratio >= goal else '  MISSED'}")
    for name, peer in sum_errors():
        if name in errors:
            print(f"{name:18} {errors[name]:9.2e}    {peer:9.2e}    {peer / errors[name]:7.2f} {1:6.2f}   relative error{'' if errors[name] <= peer else '  MISSED'}")


main()
