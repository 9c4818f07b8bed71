#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace RDKit {
class Atom;
class Bond;
class RWMol;
}  // namespace RDKit

/// @file
/// The features of atoms and bonds, by named and versioned sets.
namespace edgewise::data::detail {

/// A feature set: its columns, and the functions that fill zeroed rows.
struct FeatureSet {
  std::string_view name;
  std::vector<std::string> (*atom_names)();  // the elements come first
  void (*encode_atom)(const RDKit::RWMol&, const RDKit::Atom&, float*);
  std::vector<std::string> (*bond_names)();  // null, like the next, if there are none
  void (*encode_bond)(const RDKit::RWMol&, const RDKit::Bond&, float*);
  bool has_all_stereo;  // tells cis and trans of rings apart, and folds isotopic hydrogens into their neighbours
};

std::vector<std::string> feature_set_names();
/// Throws UsageError listing the sets.
const FeatureSet& feature_set(std::string_view name);

/// The columns of the element, the first ones of each set.
std::size_t element_columns();
/// Fills them alone.
void encode_element(const RDKit::RWMol&, const RDKit::Atom& atom, float* out);

}  // namespace edgewise::data::detail
