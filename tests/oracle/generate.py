#!/usr/bin/env python3
"""Makes every file of expected values from NumPy: `python tests/oracle/generate.py` (needs requirements.txt).

The cases of each topic are made by the module that is named here; the format of the `oracle_*.bin` is described in
fixture.py, how closely a result must be met in truth.py. The output depends on nothing but these files and NumPy's version.
`--only TOPIC` makes one file, `--check` compares with what is there and writes nothing.
"""

import argparse
import pathlib
import sys

import numpy as np

import advanced
import binary
import choice
import creation
import gen_core_tables
import gen_npy_cases
import gen_print_cases
import indexing
import manipulation
import products
import reductions
import unary

MODULES = [unary, binary, choice, reductions, products, indexing, advanced, creation, manipulation]
TEXTS = {"core/core_tables.inc": gen_core_tables, "fixtures/npy_cases.tsv": gen_npy_cases, "fixtures/print_cases.tsv": gen_print_cases}
REQUIRED = "2.2.6"


def contents(only):
    """(path below tests/, what it holds, bytes) of every file, or of the topic `only`."""
    for topic, make in {name: make for module in MODULES for name, make in module.topics().items()}.items():
        if only in (None, topic):
            fixture = make()
            yield f"fixtures/oracle_{topic}.bin", f"{len(fixture.cases)} cases", fixture.bytes()
    for path, module in TEXTS.items():
        if only in (None, pathlib.Path(path).stem):
            data = module.text().encode("ascii")
            yield path, f"{data.count(10)} lines", data


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="one topic")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent, help="instead of tests/")
    arguments = parser.parse_args()
    if np.__version__ != REQUIRED:
        sys.exit(f"the fixtures are made with NumPy {REQUIRED}, this is {np.__version__}")
    differing, total = [], 0
    for name, what, data in contents(arguments.only):
        total += len(data)
        path = arguments.output / name
        print(f"{name:40} {what:>12} {len(data):9} bytes", flush=True)
        if arguments.check:
            if not path.exists() or path.read_bytes() != data:
                differing.append(name)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    if total == 0:
        sys.exit(f"there is no topic {arguments.only}")
    print(f"{total} bytes together")
    if differing:
        sys.exit(f"out of date: {', '.join(differing)}")


if __name__ == "__main__":
    main()
