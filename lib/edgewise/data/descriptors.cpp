#include "edgewise/data/descriptors.hpp"

#include <GraphMol/Descriptors/MolDescriptors.h>
#include <GraphMol/Descriptors/Property.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/RWMol.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "edgewise/core/parallel.hpp"
#include "edgewise/io/limits.hpp"
#include "edgewise/io/mixture_parser.hpp"
#include "edgewise/io/molecule_parser.hpp"
#include "edgewise/io/reaction_parser.hpp"

namespace edgewise::data {
namespace {

/// The properties of RDKit 2022.09, listed by name so that a later RDKit with more properties gives the same columns.
/// Those computed differently across versions (NumHBA, chi2v, chi2n) are left out.
const std::vector<std::string>& property_names() {
  // clang-format off
  static const std::vector<std::string> kNames = {
      "exactmw", "amw", "lipinskiHBA", "lipinskiHBD", "NumRotatableBonds", "NumHBD", "NumHeavyAtoms", "NumAtoms",
      "NumHeteroatoms", "NumAmideBonds", "FractionCSP3", "NumRings", "NumAromaticRings", "NumAliphaticRings",
      "NumSaturatedRings", "NumHeterocycles", "NumAromaticHeterocycles", "NumSaturatedHeterocycles",
      "NumAliphaticHeterocycles", "NumSpiroAtoms", "NumBridgeheadAtoms", "NumAtomStereoCenters",
      "NumUnspecifiedAtomStereoCenters", "labuteASA", "tpsa", "CrippenClogP", "CrippenMR", "chi0v", "chi1v", "chi3v",
      "chi4v", "chi0n", "chi1n", "chi3n", "chi4n", "hallKierAlpha", "kappa1", "kappa2", "kappa3", "Phi"};
  // clang-format on
  return kNames;
}

/// Series of descriptors, numbered from 1.
struct Series {
  const char* name;
  std::size_t count;
};
constexpr Series kSeries[] = {{"SlogP_VSA", 12}, {"SMR_VSA", 10}, {"PEOE_VSA", 14}, {"MQN", 42}};

std::size_t descriptor_count() {
  std::size_t count = property_names().size();
  for (const Series& series : kSeries) count += series.count;
  return count;
}

constexpr const char* kOtherMixture = "other molecules than those of the other rows";

/// Values that a float cannot hold become NaN.
float checked(double value) {
  const auto number = static_cast<float>(value);
  return std::isfinite(number) ? number : std::numeric_limits<float>::quiet_NaN();
}

template <class Values>
void append(const Values& values, float*& next) {
  for (const auto value : values) *next++ = checked(static_cast<double>(value));
}

void compute(RDKit::RWMol& molecule, const RDKit::Descriptors::Properties& properties, float* row) {
  RDKit::MolOps::assignStereochemistry(molecule, true, true,
                                       true);  // flags all possible centres, which are counted
  append(properties.computeProperties(molecule), row);
  append(RDKit::Descriptors::calcSlogP_VSA(molecule), row);
  append(RDKit::Descriptors::calcSMR_VSA(molecule), row);
  append(RDKit::Descriptors::calcPEOE_VSA(molecule), row);
  append(RDKit::Descriptors::calcMQNs(molecule), row);
}

/// `describe(describer, text, row)` returns the problem.
template <class Describe>
MoleculeDescriptors each_row(std::span<const std::string> texts, std::size_t columns, const Describe& describe) {
  MoleculeDescriptors result;
  result.values = Matrix::Constant(static_cast<Eigen::Index>(texts.size()), static_cast<Eigen::Index>(columns),
                                   std::numeric_limits<float>::quiet_NaN());
  result.problems.resize(texts.size());
  constexpr std::size_t kRows = 64;
  parallel_for(texts.size(), kRows, [&](std::size_t begin, std::size_t end) {
    const MoleculeDescriber describer;
    for (std::size_t i = begin; i < end; ++i)
      result.problems[i] = describe(describer, texts[i], result.values.data() + i * columns);
  });
  return result;
}

}  // namespace

std::vector<std::string> descriptor_names() {
  std::vector<std::string> names = property_names();
  for (const Series& series : kSeries)
    for (std::size_t i = 1; i <= series.count; ++i) names.push_back(fmt::format("{}{}", series.name, i));
  return names;
}

std::vector<std::string> reaction_descriptor_names() {
  std::vector<std::string> names = descriptor_names();
  for (const std::string& name : descriptor_names()) names.push_back(fmt::format("change of {}", name));
  return names;
}

std::vector<std::string> mixture_descriptor_names(std::size_t count, bool is_sum) {
  if (is_sum) return descriptor_names();
  std::vector<std::string> all;
  for (std::size_t place = 0; place < count; ++place)
    for (const std::string& descriptor : descriptor_names())
      all.push_back(fmt::format("{} of {}", descriptor, io::name_of_part(place, {})));
  return all;
}

struct MoleculeDescriber::Properties : RDKit::Descriptors::Properties {
  using RDKit::Descriptors::Properties::Properties;
};

MoleculeDescriber::MoleculeDescriber() : properties_(std::make_unique<Properties>(property_names())) {}
MoleculeDescriber::~MoleculeDescriber() = default;

std::string MoleculeDescriber::describe(RDKit::RWMol& molecule, float* row) const {
  if (molecule.getNumAtoms() > io::limits().stereo_bytes)  // finding their centres would take minutes
    return fmt::format("more than {} atoms: no descriptors", io::limits().stereo_bytes);
  std::vector<float> values(descriptor_count());
  std::string problem;
  if (io::run_rdkit([&] { compute(molecule, *properties_, values.data()); }, problem))
    std::copy(values.begin(), values.end(), row);
  return problem;
}

std::string MoleculeDescriber::describe_reaction(io::ParsedReaction& reaction, float* row) const {
  const std::size_t columns = descriptor_count();
  std::vector<float> products(columns, std::numeric_limits<float>::quiet_NaN());
  std::string problem = describe(*reaction.reactants.molecule, row);
  if (problem.empty()) problem = describe(*reaction.products.molecule, products.data());
  for (std::size_t i = 0; i < columns; ++i) row[columns + i] = products[i] - row[i];
  return problem;
}

std::string MoleculeDescriber::describe_mixture(io::ParsedMixture& mixture, float* row) const {
  const std::size_t columns = descriptor_count();
  std::vector<float> all(mixture.is_sum ? columns : columns * mixture.parts.size(), 0), one(columns);
  for (std::size_t i = 0; i < mixture.parts.size(); ++i) {
    const auto& [parsed, share] = mixture.parts[i];
    if (!parsed.molecule) continue;
    if (std::string problem = describe(*parsed.molecule, one.data()); !problem.empty()) return problem;
    for (std::size_t c = 0; c < columns; ++c) all[c + (mixture.is_sum ? 0 : i * columns)] += share * one[c];
  }
  std::copy(all.begin(), all.end(), row);
  return "";
}

MoleculeDescriptors molecule_descriptors(std::span<const std::string> smiles) {
  return each_row(smiles, descriptor_count(),
                  [](const MoleculeDescriber& describer, const std::string& text, float* row) {
                    const io::ParsedMolecule parsed = io::parse_smiles(text);
                    return parsed.molecule ? describer.describe(*parsed.molecule, row) : parsed.problem;
                  });
}

MoleculeDescriptors reaction_descriptors(std::span<const std::string> reactions) {
  return each_row(reactions, 2 * descriptor_count(),
                  [](const MoleculeDescriber& describer, const std::string& text, float* row) {
                    io::ParsedReaction parsed = io::parse_reaction(text);
                    return parsed.problem.empty() ? describer.describe_reaction(parsed, row) : parsed.problem;
                  });
}

MoleculeDescriptors mixture_descriptors(std::span<const std::string> mixtures, std::size_t count, bool is_sum) {
  return each_row(mixtures, (is_sum ? 1 : count) * descriptor_count(),
                  [&](const MoleculeDescriber& describer, const std::string& text, float* row) {
                    io::ParsedMixture parsed = io::parse_mixture(text);
                    if (!parsed.problem.empty()) return parsed.problem;
                    if (parsed.parts.size() != count || parsed.is_sum != is_sum) return std::string(kOtherMixture);
                    return describer.describe_mixture(parsed, row);
                  });
}

}  // namespace edgewise::data
