# The front door. `make demo` and `make test` install what is missing (scripts/setup), build and run; the rest of the
# build is CMake's (CMakePresets.json).
export PATH := $(CURDIR)/.tools/bin:$(PATH):/usr/local/cuda/bin
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

# What a preset sets is no news, and not every preset enables every language.
configure = cmake --no-warn-unused-cli --log-level=WARNING

have_nvcc = $(shell command -v nvcc)
have_gpu = $(shell nvidia-smi -L 2>/dev/null)

.PHONY: help demo test test-host test-cuda bench install format check-format clean setup
.DEFAULT_GOAL := help

help:
	@echo "make demo     build and run the main example: filters on a photograph"
	@echo "make test     build and run the tests, on the host and, where nvcc is, compiled for CUDA too"
	@echo "make bench    build and run the benchmarks, against an installation as a consumer would"
	@echo "make install  install the headers and the CMake package below PREFIX ($(PREFIX))"
	@echo "make format   format the sources (clang-format 19)"
	@echo "make clean    remove build/"

setup:
	@scripts/setup

# Without a GPU there is nothing to gain from nvcc, and much time to lose.
demo: setup
	@$(configure) --preset demo -DGPUARRAY_WITH_CUDA=$(if $(and $(have_nvcc),$(have_gpu)),AUTO,OFF) \
	  -DCMAKE_CUDA_ARCHITECTURES=native >/dev/null
	@cmake --build --preset demo --parallel $(JOBS) --target image_filter
	@build/demo/examples/image_filter

test: test-host $(if $(have_nvcc),test-cuda)

test-host: setup
	$(configure) --preset host >/dev/null
	cmake --build --preset host --parallel $(JOBS)
	ctest --preset host --parallel $(JOBS)

test-cuda: setup
	$(configure) --preset cuda >/dev/null
	cmake --build --preset cuda --parallel $(JOBS)
	ctest --preset cuda --parallel $(JOBS)

bench: setup
	@scripts/bench

install:
	$(configure) -S . -B build/install -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DGPUARRAY_BUILD_TESTS=OFF \
	  -DGPUARRAY_BUILD_EXAMPLES=OFF -DGPUARRAY_BUILD_BENCH=OFF
	cmake --install build/install

format:
	@scripts/format

check-format:
	@scripts/format --check

clean:
	rm -rf build
