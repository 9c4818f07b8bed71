#include "edgewise/train/explain/effects.hpp"

#include <catch2/catch.hpp>

#include "train/explain/explained_models.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

/// Predicts the sum over the atoms of a number for their element: 3 for carbon, -2 for others, in units of y.
ModelData sum_of_elements() {
  const char* const kModel = R"({"blocks": [{"type": "readout", "kind": "sum"},
                                            {"type": "linear", "width": "outputs"}]})";
  ModelData loaded = test::trained_on_molecules(json::parse(kModel, "model"), {.features = "elements/1"});
  Eigen::Index carbon = 0;
  loaded.data.features.dense.row(loaded.data.graphs->offsets[7]).maxCoeff(&carbon);  // of CC
  for (autograd::Parameter* parameter : loaded.trained.model.parameters()) {
    const bool is_bias = parameter->value.size() == 1;
    parameter->value.setConstant(is_bias ? 0 : -2);
    if (!is_bias) parameter->value.data()[carbon] = 3;
  }
  return loaded;
}

std::vector<const PartEffect*> parts_of(const Effects& effects, std::string_view kind) {
  std::vector<const PartEffect*> parts;
  for (const PartEffect& part : effects.parts)
    if (part.kind == kind) parts.push_back(&part);
  return parts;
}

}  // namespace

TEST_CASE("the effects of a sum are its terms", "[train][effects]") {
  ModelData loaded = sum_of_elements();
  const double unit = loaded.trained.scaler.deviation()[0];
  const Effects effects = effects_of(loaded, 0);  // CCO
  const std::vector<const PartEffect*> atoms = parts_of(effects, "atom");
  REQUIRE(atoms.size() == 3);
  CHECK(atoms[0]->name == "0 C");
  CHECK(atoms[2]->name == "2 O");
  CHECK(atoms[0]->effect == Approx(3 * unit).epsilon(1e-4));
  CHECK(atoms[2]->effect == Approx(-2 * unit).epsilon(1e-4));
  double sum = loaded.trained.scaler.mean()[0];  // of no atoms
  for (const PartEffect* atom : atoms) sum += atom->effect;
  CHECK(effects.prediction(0, 0) == Approx(sum).epsilon(1e-4));
  for (const PartEffect* bond : parts_of(effects, "bond")) CHECK(bond->effect == Approx(0).margin(1e-5));
  const std::vector<const PartEffect*> groups = parts_of(effects, "side group");
  REQUIRE(groups.size() == 2);
  CHECK(groups[1]->name == "O (atom 2)");
  CHECK(groups[1]->deletion.replacement == "CC");
  CHECK(groups[1]->effect == Approx(-2 * unit).epsilon(1e-4));
  CHECK(groups[1]->without == Approx(effects.prediction(0, 0) + 2 * unit).epsilon(1e-4));
}

TEST_CASE("nodes have neighbours and features", "[train][effects]") {
  test::FriendFiles files;
  ModelData loaded = test::trained_on_friends(files, json::Object{{"preset", "gat"}, {"hidden", 8}});
  const graph::Node p3 = *loaded.data.graph.names().find("p3");
  const Effects effects = effects_of(loaded, p3);
  CHECK(parts_of(effects, "neighbour").size() == Subject(loaded, p3).neighbours().size());
  CHECK(parts_of(effects, "feature").size() == 2);
  CHECK(parts_of(effects, "neighbour").front()->name.starts_with("p"));
  CHECK(effects.prediction(0, static_cast<Eigen::Index>(effects.answer)) == effects.prediction.maxCoeff());
  const Effects other = effects_of(loaded, p3, loaded.trained.label_names[1 - effects.answer]);
  for (std::size_t i = 0; i < effects.parts.size(); ++i)  // two probabilities add up to 1
    CHECK(other.parts[i].effect == Approx(-effects.parts[i].effect).margin(1e-5));
  CHECK_THROWS_WITH(effects_of(loaded, p3, "yeah"), Contains("of: the model predicts nothing called \"yeah\""));
}
