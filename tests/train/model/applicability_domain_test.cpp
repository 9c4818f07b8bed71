#include "edgewise/train/model/applicability_domain.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "edgewise/core/error.hpp"
#include "support/graph_of.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

/// Alkanes, alcohols and amines of 3 to 12 heavy atoms.
std::vector<std::string> small_molecules() {
  std::vector<std::string> smiles;
  for (std::size_t carbons = 2; carbons < 12; ++carbons)
    for (const char* end : {"C", "O", "N"}) smiles.push_back(std::string(carbons, 'C') + end);
  return smiles;
}

}  // namespace

TEST_CASE("molecules unlike those of training are told, with reasons", "[train][applicability_domain]") {
  const std::vector<std::string> known = small_molecules();
  const ApplicabilityDomain domain = ApplicabilityDomain::of_molecules(known);
  REQUIRE(domain.is_of_molecules());
  const DomainReport itself = domain.compare(known);
  CHECK(itself.unlike() == 0);
  for (const float similarity : itself.similarity) CHECK(similarity == 1);

  const std::vector<std::string> others = {"[Na+]",          "CC(C)CO.Cl", std::string(60, 'C'),
                                           "c1ccc2ccccc2c1", "CCC(C)O",    "?"};
  const DomainReport found = domain.compare(others);
  CHECK_THAT(found.reasons[0], Contains("Na+ is new") &&
                                   Contains("size 1, in training 3 to 12; charge 1, in training 0") &&
                                   Contains("similarity 0.00, in training"));
  CHECK_THAT(found.reasons[1], Contains("Cl is new") && Contains("parts 2, in training 1"));
  CHECK(found.reasons[2] == "size 60, in training 3 to 12");
  CHECK_THAT(found.reasons[3], Contains("similarity 0.0"));
  CHECK_THAT(found.reasons[4], Catch::Matchers::StartsWith("similarity 0."));  // no other reason
  CHECK((found.similarity[4] > 0.3 && found.similarity[4] < 1));
  CHECK(std::isnan(found.similarity[5]));
  CHECK(found.reasons[5].empty());
  CHECK(found.unlike() == 5);
}

TEST_CASE("the similarity is that of Tanimoto to the nearest training molecule", "[train][applicability_domain]") {
  const std::vector<std::string> known = {"CCO", "CCCCCC", "c1ccccc1O", "CC(=O)O"}, asked = {"CCCO"};
  const ApplicabilityDomain domain = ApplicabilityDomain::of_molecules(known);
  const auto bits_of = [](const std::string& smiles) { return data::molecule_profiles({&smiles, 1})[0].bits; };
  double nearest = 0;
  for (const std::string& other : known) nearest = std::max(nearest, data::tanimoto(bits_of(asked[0]), bits_of(other)));
  CHECK(nearest > 0);
  CHECK(domain.compare(asked).similarity[0] == static_cast<float>(nearest));
}

TEST_CASE("what one in a thousand training molecules has is as good as new", "[train][applicability_domain]") {
  std::vector<std::string> known;
  for (int i = 0; i < 1998; ++i) known.push_back(small_molecules()[static_cast<std::size_t>(i) % 30]);
  known.insert(known.end(), {"CCC[Se]C", "CCCCCCCCCCCCCCCCCCCCCCCC"});
  const std::vector<std::string> asked = {"CCC[Se]C"};
  CHECK_THAT(ApplicabilityDomain::of_molecules(known).compare(asked).reasons[0], Contains("Se is new"));
  known.resize(900);
  known.emplace_back("CCC[Se]C");
  CHECK(ApplicabilityDomain::of_molecules(known).compare(asked).reasons[0].empty());
}

TEST_CASE("isolated nodes are told where training nodes have neighbours", "[train][applicability_domain]") {
  const graph::Graph graph = test::graph_of(5, {0, 1, 3}, {1, 2, 3});
  const std::vector<graph::Node> connected = {0, 1}, all = {0, 1, 2, 3, 4};
  const ApplicabilityDomain domain = ApplicabilityDomain::of_nodes(graph, connected);
  CHECK_FALSE(domain.is_empty());
  CHECK_FALSE(domain.is_of_molecules());
  const DomainReport found = domain.compare(graph);
  CHECK(found.similarity.empty());
  CHECK(found.reasons == std::vector<std::string>{"", "", "", "no neighbours", "no neighbours"});
  CHECK(ApplicabilityDomain::of_nodes(graph, all).compare(graph).unlike() == 0);
}

TEST_CASE("an applicability domain survives a file, and a damaged one is refused", "[train][applicability_domain]") {
  const std::vector<std::string> known = small_molecules(), asked = {"CC(C)(C)CO", "[U]", "OCC(O)CO"};
  const ApplicabilityDomain domain = ApplicabilityDomain::of_molecules(known);
  const ApplicabilityDomain again = ApplicabilityDomain::from_json(domain.to_json());
  CHECK(again.compare(asked).similarity == domain.compare(asked).similarity);
  CHECK(again.compare(asked).reasons == domain.compare(asked).reasons);
  CHECK(json::dump(again.to_json()) == json::dump(domain.to_json()));
  const graph::Graph graph = test::graph_of(3, {0}, {1});
  const std::vector<graph::Node> nodes = {0, 1};
  const ApplicabilityDomain of_nodes = ApplicabilityDomain::of_nodes(graph, nodes);
  CHECK(ApplicabilityDomain::from_json(of_nodes.to_json()).compare(graph).unlike() == 1);

  CHECK(ApplicabilityDomain().is_empty());
  CHECK(ApplicabilityDomain().compare(asked).reasons.empty());
  CHECK_THROWS_AS(ApplicabilityDomain::from_json(json::Object{}), ModelError);
  json::Value damaged = domain.to_json();
  damaged.set("fingerprints", json::Array{std::string(2000, '#')});
  CHECK_THROWS_WITH(ApplicabilityDomain::from_json(damaged), Contains("1024 bits"));
  damaged.set("fingerprints", json::Array{"\t"});
  CHECK_THROWS_AS(ApplicabilityDomain::from_json(damaged), ModelError);
}

TEST_CASE("a reason is given once, and not too many", "[train][applicability_domain]") {
  DomainReport report{.similarity = {}, .reasons = {"", ""}};
  report.add(0, "no age");
  report.add(0, "no age");
  CHECK(report.reasons[0] == "no age");
  for (int i = 0; i < 100; ++i) report.add(1, "no " + std::string(20, static_cast<char>('a' + i % 26)));
  CHECK(report.reasons[1].size() < 200);
  CHECK_THAT(report.reasons[1], Catch::Matchers::EndsWith("; ..."));
}

TEST_CASE("novelty is what the training molecules leave unexplained", "[train][applicability_domain]") {
  const std::vector<std::string> known = small_molecules(), asked = {"CCCO", "CC(C)O", "[U]", "?"};
  const ApplicabilityDomain domain = ApplicabilityDomain::of_molecules(known, true);
  REQUIRE(domain.has_novelty());
  CHECK_FALSE(ApplicabilityDomain::of_molecules(known).has_novelty());
  CHECK(domain.novelty(known).maxCoeff() < 0.05F);
  const Matrix novelty = domain.novelty(asked);
  CHECK(novelty(0, 0) < 0.05F);
  CHECK((novelty(1, 0) > 0.1F && novelty(1, 0) < 1));
  CHECK(novelty(2, 0) > 0.9F);
  CHECK(std::isnan(novelty(3, 0)));
  const ApplicabilityDomain again = ApplicabilityDomain::from_json(domain.to_json());
  CHECK(again.novelty(asked).topRows(3) == novelty.topRows(3));
  json::Value damaged = domain.to_json();
  damaged.set("pivots", json::Array{1000});
  CHECK_THROWS_WITH(ApplicabilityDomain::from_json(damaged), Contains("pivots"));
}
