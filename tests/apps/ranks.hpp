#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "sandbox.hpp"

/// @file
/// The command line on several processes.
namespace edgewise::test {

inline bool has_mpi(const Sandbox& sandbox) {
  const std::filesystem::path program(EDGEWISE_CLI);
  return std::filesystem::exists(program.parent_path() / "edgewise_mpi.so") &&
         sandbox.shell("mpirun --version").code == 0;
}

inline std::string on_ranks(int count, const std::string& arguments) {
  return fmt::format("mpirun --allow-run-as-root --oversubscribe -q -np {} {}{}", count, Sandbox::kBinary, arguments);
}

}  // namespace edgewise::test
