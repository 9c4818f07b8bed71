#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace edgewise::fuzz {

/// A reader that takes a file which nobody vouches for.
struct Target {
  std::string name;
  std::function<void(const std::string& path)> read;  ///< May throw edgewise::Error, and nothing else.
  std::vector<std::string> seeds;                     ///< Small inputs that it takes.
};

const std::vector<Target>& targets();

/// Has the target read `input`, which it sees as a file. False when it refused it. Throws what is no edgewise::Error.
bool run_one(const Target& target, std::span<const char> input);

}  // namespace edgewise::fuzz
