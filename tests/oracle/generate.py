#!/usr/bin/env python3
"""Makes every fixture of the test suite from NumPy: `python tests/oracle/generate.py` (needs requirements.txt).

The cases of each topic are made by the module that is named here; the format is described in fixture.py, how closely a
result must be met in truth.py. The output depends on nothing but these files and NumPy's version.
`--only TOPIC` makes one file, `--check` compares with what is there and writes nothing.
"""

import argparse
import pathlib
import sys

import numpy as np

import binary
import choice
import creation
import indexing
import products
import reductions
import unary

MODULES = [unary, binary, choice, reductions, products, indexing, creation]
REQUIRED = "2.2.6"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="one topic")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent / "fixtures")
    arguments = parser.parse_args()
    if np.__version__ != REQUIRED:
        sys.exit(f"the fixtures are made with NumPy {REQUIRED}, this is {np.__version__}")
    topics = {name: make for module in MODULES for name, make in module.topics().items()}
    differing, total = [], 0
    for name, make in topics.items():
        if arguments.only and name != arguments.only:
            continue
        fixture = make()
        data = fixture.bytes()
        total += len(data)
        path = arguments.output / f"oracle_{name}.bin"
        print(f"{path.name:36} {len(fixture.cases):6} cases {len(data):9} bytes")
        if arguments.check:
            if not path.exists() or path.read_bytes() != data:
                differing.append(path.name)
        else:
            path.write_bytes(data)
    print(f"{total} bytes together")
    if differing:
        sys.exit(f"out of date: {', '.join(differing)}")


if __name__ == "__main__":
    main()
