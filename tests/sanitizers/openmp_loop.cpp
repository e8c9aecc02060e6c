/// @file
/// An OpenMP loop that is correct, or racy with RACY defined: ThreadSanitizer must accept the one and report the other.
#include <cstdio>
#include <vector>

int main() {
  std::vector<double> values(100000);
  double sum = 0;
  for (int round = 0; round < 10; ++round) {
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 100000; ++i) values[static_cast<std::size_t>(i)] = i + round;
    sum = 0;
    // What one region wrote, the next and the code between them read: only OpenMP orders that.
    for (const double v : values) sum += v;
#if defined(RACY)
#pragma omp parallel for num_threads(4)
#else
#pragma omp parallel for num_threads(4) reduction(+ : sum)
#endif
    for (int i = 0; i < 100000; ++i) sum += values[static_cast<std::size_t>(i)];
  }
  std::printf("%g\n", sum);
}
