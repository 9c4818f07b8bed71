#pragma once

#include <span>
#include <string>
#include <vector>

#include "edgewise/core/parallel.hpp"
#include "edgewise/io/molecule_parser.hpp"

namespace edgewise::data::detail {

struct MoleculeTexts {
  std::vector<std::string> texts;     ///< One per row; "" if there is a problem.
  std::vector<std::string> problems;  ///< One per row: "" if all is well, else RDKit's reason in one short line.
};

/// `text_of(molecule)` for each row. Parallel over rows; the result does not depend on the number of threads.
template <class TextOf>
MoleculeTexts each_molecule(std::span<const std::string> smiles, const TextOf& text_of) {
  MoleculeTexts result{std::vector<std::string>(smiles.size()), std::vector<std::string>(smiles.size())};
  constexpr std::size_t kRows = 64;
  parallel_for(smiles.size(), kRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      io::ParsedMolecule parsed = io::parse_smiles(smiles[i]);
      result.problems[i] = std::move(parsed.problem);
      if (parsed.molecule) io::run_rdkit([&] { result.texts[i] = text_of(*parsed.molecule); }, result.problems[i]);
    }
  });
  return result;
}

}  // namespace edgewise::data::detail
