/// @file
/// `show_config`: what a program was built with, what it found on this machine, and what to do about what is missing.
#pragma once

#include <cstdio>
#include <string>

#include "array.hpp"
#include "backend/host/loop.hpp"
#include "backend/host/threads.hpp"
#include "core/config.hpp"
#include "runtime/memory.hpp"
#include "version.hpp"

#if __has_include(<dlfcn.h>)
#include <dlfcn.h>
#endif
#if defined(GPUARRAY_HAS_CBLAS)
#include <cblas.h>
#endif

namespace gpu {
inline namespace GPUARRAY_ABI {

namespace engine {

[[nodiscard]] inline std::string compiler_text() {
#if defined(__clang__)
  std::string text = detail::message("clang ", __clang_major__, ".", __clang_minor__);
#elif defined(__GNUC__)
  std::string text = detail::message("g++ ", __GNUC__, ".", __GNUC_MINOR__);
#else
  std::string text = "unknown";
#endif
#if defined(__CUDACC__)
  text += detail::message(" under nvcc ", __CUDACC_VER_MAJOR__, ".", __CUDACC_VER_MINOR__);
#endif
#if !defined(__OPTIMIZE__)
  text +=
      ", not optimising: the host is many times slower than it need be; add -O2 (CMake: -DCMAKE_BUILD_TYPE=Release)";
#endif
  return text;
}

[[nodiscard]] inline std::string threads_text() {
#if defined(_OPENMP)
  return detail::message(host::thread_count(), " (OpenMP)");
#else
  return "1: this file was compiled without OpenMP; add -fopenmp (the CMake target does where OpenMP is found)";
#endif
}

[[nodiscard]] inline const char* instruction_set_text() {
  switch (host::best_instruction_set()) {
    case host::instruction_set::avx512: return "AVX-512, chosen when the program started";
    case host::instruction_set::avx2: return "AVX2, chosen when the program started";
    default: return "the compiler's default";
  }
}

[[nodiscard]] inline std::string blas_text() {
#if defined(GPUARRAY_HAS_CBLAS) && __has_include(<dlfcn.h>)
  Dl_info found{};
  const bool known = ::dladdr(reinterpret_cast<const void*>(&cblas_sgemm), &found) != 0 && found.dli_fname != nullptr;
  return known ? detail::message("CBLAS of ", found.dli_fname) : std::string("CBLAS");
#elif defined(GPUARRAY_HAS_CBLAS)
  return "CBLAS";
#else
  return "none: matrix products use gpuarray's own; install OpenBLAS (Debian: libopenblas-dev) and configure again, or "
         "compile with -DGPUARRAY_HAS_CBLAS and link -lopenblas";
#endif
}

/// The CUDA version of the installed driver, without linking anything; 0 if there is none.
[[nodiscard]] inline int installed_driver_version() {
  int version = 0;
#if !defined(__CUDACC__) && __has_include(<dlfcn.h>)
  if (void* const library = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL)) {
    using get_version = int (*)(int*);
    const auto call = reinterpret_cast<get_version>(::dlsym(library, "cuDriverGetVersion"));
    if (call == nullptr || call(&version) != 0) version = 0;
    ::dlclose(library);
  }
#endif
  return version;
}

[[nodiscard]] inline std::string memory_text(std::size_t bytes) {
  constexpr std::size_t mebi = 1024 * 1024;
  return bytes >= 10 * 1024 * mebi ? detail::message(bytes / (1024 * mebi), " GiB")
                                   : detail::message(bytes / mebi, " MiB");
}

[[nodiscard]] inline std::string cuda_text() {
  const detail::backend_table* const cuda = detail::backend_of(device_kind::cuda);
  if (cuda == nullptr) {
    std::string text = "  " + detail::explain_cuda_failure(detail::cuda_failure::not_compiled) + "\n";
    if (const int version = installed_driver_version(); version > 0) {
      text += detail::message("  driver on this machine: for CUDA ", version / 1000, ".", version % 1000 / 10, "\n");
    }
    return text;
  }
  const std::string driver = cuda->driver_version();
  std::string text =
      detail::message("  toolkit ", cuda->toolkit_version(), ", driver ", driver.empty() ? "none" : driver, "\n");
  const int devices = device::count(device_kind::cuda);
  if (devices == 0) return text + "  " + cuda->why_unusable(0) + "\n";
  for (int i = 0; i < devices; ++i) {
    const std::string why = cuda->why_unusable(i);
    if (!why.empty()) {
      text += "  " + why + "\n";
      continue;
    }
    const device d = device::cuda(i);
    const compute_capability c = d.compute_capability();
    const memory_information m = d.memory_info();
    text += detail::message("  ", d, ": ", d.name(), ", compute capability ", c.major, ".", c.minor, ", ",
                            memory_text(m.free), " of ", memory_text(m.total), " free\n");
  }
  return text;
}

}  // namespace engine

/// Version, compiler, threads, BLAS, CUDA toolkit, driver and GPUs, and the device in use; for what is missing or
/// unusable the cause and the remedy. Never throws for a missing GPU.
[[nodiscard]] inline std::string config_report() {
  const device host = device::host();
  std::string text = detail::message("gpuarray ", version_major, ".", version_minor, ".", version_patch, "\n");
  text += detail::message("compiler: ", engine::compiler_text(), "\n");
  text += detail::message("host: ", host.name(), ", ", engine::memory_text(host.memory_info().total), "\n");
  text += detail::message("  threads: ", engine::threads_text(), "\n");
  text += detail::message("  instruction set: ", engine::instruction_set_text(), "\n");
  text += detail::message("  BLAS: ", engine::blas_text(), "\n");
  text += "CUDA:\n" + engine::cuda_text();
  try {
    text += detail::message("device in use: ", current_device(), "\n");
  } catch (const device_error& e) {
    text += detail::message("device in use: none: ", e.what(), "\n");
  }
  return text;
}

/// Prints `config_report()` on standard output.
inline void show_config() {
  const std::string text = config_report();
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
