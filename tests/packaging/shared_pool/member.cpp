/// @file
/// Compiled into two shared objects; MEMBER is first or second.
#include "members.hpp"

namespace {

gpu::memory_resource& here() { return gpu::get_memory_resource(gpu::current_device()); }
const void* resource() { return &here(); }
gpu::memory_statistics statistics() { return here().statistics(); }
gpu::array<float> make(int size) { return gpu::ones<float>({size}); }
double sum(const gpu::array<float>& a) { return gpu::sum(a + 1).item(); }
void drop(gpu::array<float> a) { (void)a; }

}  // namespace

member MEMBER() { return {resource, statistics, make, sum, drop}; }
