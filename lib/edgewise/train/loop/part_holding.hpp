#pragma once

#include <cstdint>
#include <string>

namespace edgewise::train {

class Ranks;

/// Who holds the parts of a frozen network.
struct PartHolding {
  std::uint64_t memory = 0;  ///< Bytes for parts; those beyond wait in a temporary file. 0: all parts stay in memory.
  std::string folder = {};   ///< For the temporary file.
  Ranks* ranks = nullptr;    ///< If set, parts are shared among these processes, of which each calls the same.
};

}  // namespace edgewise::train
