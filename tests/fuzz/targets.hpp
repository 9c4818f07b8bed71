#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace edgewise::fuzz {

/// A reader of untrusted files.
struct Target {
  std::string name;
  std::function<void(const std::string& path)> read;  ///< May only throw edgewise::Error.
  std::vector<std::string> seeds;                     ///< Small valid inputs.
};

/// All targets: single files, and those of `job_targets`.
const std::vector<Target>& targets();

/// What a whole job reads: collections of graphs in tables, texts, rows that are grids; molecules without labels; logs
/// of comparisons and searches; checkpoints of several runs.
std::vector<Target> job_targets();

/// Lets the target read `input` as a file. Returns false if it is refused. Exceptions other than edgewise::Error are
/// passed on.
bool run_one(const Target& target, std::span<const char> input);

}  // namespace edgewise::fuzz
