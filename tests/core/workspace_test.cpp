#include "edgewise/core/workspace.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>

using namespace edgewise;

namespace {

bool is_aligned(const float* data) { return reinterpret_cast<std::uintptr_t>(data) % 64 == 0; }

}  // namespace

TEST_CASE("a workspace gives aligned memory that does not overlap", "[core][workspace]") {
  Workspace workspace;
  workspace.begin();
  float* first = workspace.take(5);
  float* second = workspace.take(100'000);  // more than is left
  float* third = workspace.take(0);
  float* fourth = workspace.take(17);
  for (const float* data : {first, second, third, fourth}) CHECK(is_aligned(data));
  std::fill_n(first, 5, 1.0F);
  std::fill_n(second, 100'000, 2.0F);
  std::fill_n(fourth, 17, 4.0F);
  CHECK(std::count(first, first + 5, 1.0F) == 5);
  CHECK(std::count(second, second + 100'000, 2.0F) == 100'000);
  CHECK(std::count(fourth, fourth + 17, 4.0F) == 17);
}

TEST_CASE("a workspace gives a second call of the same size the same memory", "[core][workspace]") {
  Workspace workspace;
  const auto call = [&] {
    workspace.begin();
    workspace.take(1000);
    return workspace.take(3000);
  };
  call();
  const float* second = call();  // all that the first call took is one buffer now
  CHECK(call() == second);
  CHECK(call() == second);
}

TEST_CASE("a workspace gives zeros where memory was used before", "[core][workspace]") {
  Workspace workspace;
  constexpr std::size_t kCount = 200'000;  // several pieces of work
  workspace.begin();
  std::fill_n(workspace.take(kCount), kCount, 7.0F);
  workspace.begin();
  const float* zeros = workspace.take_zeros(kCount);
  CHECK(std::count(zeros, zeros + kCount, 0.0F) == kCount);
}
