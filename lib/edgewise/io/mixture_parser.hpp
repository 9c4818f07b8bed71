#pragma once

#include <span>
#include <string>
#include <vector>

#include "edgewise/io/molecule_parser.hpp"
#include "edgewise/io/mixture_text.hpp"

namespace edgewise::io {

/// The molecules of a row, or the problem in one short line. Code that uses them must include GraphMol/RWMol.h.
struct ParsedMixture {
  struct Part {
    ParsedMolecule parsed;  ///< Null if its share is 0.
    float share = 0;
  };

  std::vector<Part> parts;  ///< As MixtureText::parts.
  bool is_sum = false;
  bool has_amounts = false;
  std::string problem;
};

/// Problems are those of `split_mixture` and, with the name of the molecule, those of `parse_smiles`, also of a
/// molecule of which there is nothing. Thread-safe.
ParsedMixture parse_mixture(const std::string& text, std::span<const std::string> names = {});

}  // namespace edgewise::io
