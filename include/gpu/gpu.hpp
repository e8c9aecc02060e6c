/// @file
/// gpuarray: NumPy for C++ on the GPU. This header is everything.
#pragma once

// First, so that the compiler's messages about mistakes name few files.
#include "array_base.hpp"

#include "array.hpp"

#include "arithmetic.hpp"
#include "bitwise.hpp"
#include "complex_numbers.hpp"
#include "core/constants.hpp"
#include "core/finfo.hpp"
#include "creation.hpp"
#include "engine/expression.hpp"
#include "exponents.hpp"
#include "extrema.hpp"
#include "floating_point.hpp"
#include "graph.hpp"
#include "io.hpp"
#include "linalg.hpp"
#include "logic.hpp"
#include "manipulation.hpp"
#include "map.hpp"
#include "memory.hpp"
#include "pinned.hpp"
#include "pipeline.hpp"
#include "print.hpp"
#include "random.hpp"
#include "reduce.hpp"
#include "rounding.hpp"
#include "runtime/activity.hpp"
#include "runtime/event.hpp"
#include "scan.hpp"
#include "show_config.hpp"
#include "transfer.hpp"
#include "trigonometric.hpp"
#include "version.hpp"
