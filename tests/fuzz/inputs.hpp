#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/temporary_directory.hpp"

/// @file
/// How inputs of the mutation driver become files, and files become inputs.
namespace edgewise::fuzz {

/// A file made by one of our writers, which is given its path. A checksum in it gets another name, which makes it
/// metadata like any other: readers would refuse all mutations for its sake.
std::string made(const std::function<void(const std::string& path)>& write);

/// Writes the parts of the input `path`, between bytes 1, to the files `names` of `folder`. Missing parts are empty.
void write_parts(const std::string& path, const test::TemporaryDirectory& folder,
                 const std::vector<std::string>& names);

}  // namespace edgewise::fuzz
