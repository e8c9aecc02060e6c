/// @file
/// Runs a function of an index on the CUDA device: what tests of scalar code compare with the host.
#pragma once

#include <cuda_runtime.h>

#include <new>
#include <stdexcept>
#include <vector>

template <class Result, class F>
__global__ void fill_results(Result* results, int n, F f) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) results[i] = f(i);
}

/// Puts `f(0), ..., f(n - 1)`, computed on the device, into `results`. False if there is no device.
template <class Result, class F>
bool device_results(std::vector<Result>& results, int n, F f) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    (void)cudaGetLastError();
    return false;
  }
  results.assign(static_cast<std::size_t>(n), Result{});
  Result* memory = nullptr;
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(Result);
  if (cudaMalloc(&memory, bytes) != cudaSuccess) throw std::bad_alloc();
  fill_results<<<static_cast<unsigned>((n + 255) / 256), 256>>>(memory, n, f);
  const cudaError_t status = cudaMemcpy(results.data(), memory, bytes, cudaMemcpyDeviceToHost);
  cudaFree(memory);
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
  return true;
}
