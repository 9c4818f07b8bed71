/// @file
/// Small molecules in a build without RDKit.
#include "edgewise/core/error.hpp"
#include "generate/small_molecules.hpp"

namespace edgewise::app {
namespace {

[[noreturn]] void refuse() {
  throw UsageError("molecules need RDKit, without which this copy of Edgewise was built");
}

}  // namespace

SmallMolecules generate_small_molecules(const SmallMoleculeOptions&) { refuse(); }
void write_small_molecules(const std::string&, const SmallMolecules&) { refuse(); }

}  // namespace edgewise::app
