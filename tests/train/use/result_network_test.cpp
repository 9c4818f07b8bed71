#include "edgewise/train/use/result_network.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/train/doctor/read_dataset.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

using Named = std::vector<std::pair<std::string, std::string>>;

std::string dot_of(const train::Dataset& data, const io::Predictions& predictions) {
  std::ostringstream out;
  io::write_result_graph(out, io::ResultFormat::dot, train::names_of_network(data),
                         train::result_network(data, predictions));
  return out.str();
}

io::Predictions numbers(Eigen::Index rows) {
  return {.kind = io::PredictionKind::numbers, .columns = {"y"}, .values = Matrix::Constant(rows, 1, 0.5F)};
}

}  // namespace

TEST_CASE("a network of kinds has each edge once, with its relation", "[train][result_network]") {
  const test::TemporaryDirectory folder;
  train::DataConfig config;
  config.nodes = FileList(Named{{"people", folder.write("people.csv", "person,churned\n1,yes\n2,no\n")}});
  config.edges = FileList(Named{{"people:buys:products", folder.write("buys.csv", "person,product\n1,1\n2,1\n")},
                                {"people:knows:people", folder.write("knows.csv", "person,friend\n1,2\n1,1\n")}});
  config.label = {"people.churned"};
  const std::string dot = dot_of(train::read_dataset(config, {}), numbers(2));
  for (const char* line : {"\"people:1\" [y=0.5, kind=\"people\"];", "\"products:1\" [kind=\"products\"];",
                           "\"people:1\" -> \"products:1\" [relation=\"buys\"];",
                           "\"people:2\" -> \"products:1\" [relation=\"buys\"];",
                           "\"people:1\" -> \"people:2\" [relation=\"knows\"];",
                           "\"people:1\" -> \"people:1\" [relation=\"knows\"];"})
    CHECK_THAT(dot, Contains(line));
  CHECK(std::ranges::count(dot, '>') == 4);
}

TEST_CASE("what is predicted of edges is written at them", "[train][result_network]") {
  const test::TemporaryDirectory folder;
  train::DataConfig config;
  config.edges = FileList(folder.write("signs.csv", "source,target,sign\na,b,1.5\nb,c,2.5\nc,a,0.5\n"));
  config.edge_label = {"sign"};
  const std::string dot = dot_of(train::read_dataset(config, {}), numbers(3));
  CHECK_THAT(dot, Contains("\"b\" -> \"c\" [y=0.5];") && Contains("\"c\";"));
  CHECK(std::ranges::count(dot, '>') == 3);
}
