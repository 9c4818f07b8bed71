#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/io/mixture_mark.hpp"

/// @file
/// Several molecules in a row as one text: `{DYE & SOLVENT}`, or `{A + B}` if their order says nothing. Each is a
/// SMILES, after its amount if there are amounts: `{0.25 CCO + 0.75 O}`. A molecule that is not there is a `-`.
namespace edgewise::io {

/// What stands for a molecule that is not there.
inline constexpr std::string_view kNoMolecule = "-";

/// One of the molecules of a row.
struct MixturePart {
  std::string smiles = {};  ///< "" for a molecule that is not there.
  std::string amount = {};  ///< As it is written; "" if there are no amounts.
  float share = 0;          ///< Its amount over that of all; without amounts 1, or 0 if it is not there.
  std::size_t place = 0;    ///< Among those of the text, which differs from that in MixtureText::parts in sums.
};

/// The molecules of a row, or the problem in one short line.
struct MixtureText {
  std::vector<MixturePart> parts;  ///< In the order of the text, of a sum in that of their canonical SMILES.
  bool is_sum = false;             ///< The order says nothing.
  bool has_amounts = false;
  std::string problem;
};

/// The text of parts, without their shares.
std::string write_mixture(std::span<const MixturePart> parts, bool is_sum);

/// Fills the shares. Returns the problem: a text that is not one SMILES, amounts that are no numbers of at least 0,
/// that are there for some molecules alone, are all 0 or have no finite sum, or a row without a molecule. `names`, for
/// messages: those of the molecules, which may be followed by those of their amounts, and then there must be amounts;
/// without any they are numbered.
std::string set_shares(std::span<MixturePart> parts, std::span<const std::string> names = {});

/// With shares. If there are `names`, it has as many molecules.
MixtureText split_mixture(std::string_view text, std::span<const std::string> names = {});

/// How messages call the molecule at a place.
std::string name_of_part(std::size_t place, std::span<const std::string> names);

}  // namespace edgewise::io
