#pragma once

#include <ctime>

namespace edgewise::test {

/// The processor time of a call, for tests that it is not out of proportion to the input.
template <class Call>
double seconds_of(const Call& call) {
  const std::clock_t start = std::clock();
  call();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace edgewise::test
