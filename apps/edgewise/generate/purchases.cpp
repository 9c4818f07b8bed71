#include "generate/purchases.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <ostream>

#include "edgewise/core/atomic_file.hpp"
#include "edgewise/core/folder.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/data/splits.hpp"

namespace edgewise::app {

using data::Features;
using data::NodeData;
using data::Role;
using data::Split;

namespace {

constexpr std::size_t kGrain = 4096;
constexpr std::size_t kBlock = 1 << 16;  // bytes of text written at a time

std::vector<std::string> profile_columns() {
  std::vector<std::string> names = {"age", "income", "income is missing"};
  for (const std::string_view city : purchase_cities()) names.push_back(fmt::format("city = {}", city));
  names.push_back("city is missing");
  for (const std::string_view plan : purchase_plans()) names.push_back(fmt::format("plan = {}", plan));
  return names;
}

/// One person's profile in the columns above; numeric columns have roughly mean 0 and deviation 1.
void encode_profile(const PurchaseNetwork& network, std::size_t i, Eigen::RowVectorXf& row) {
  const auto cities = static_cast<Eigen::Index>(purchase_cities().size());
  const bool has_income = !std::isnan(network.income[i]);
  row.setZero();
  row(0) = (network.age[i] - 40) / 15;
  row(1) = has_income ? (std::log(network.income[i] + 1) - 10.3F) / 0.5F : 0.0F;
  row(2) = has_income ? 0.0F : 1.0F;
  row(3 + (network.city[i] == kNoCategory ? cities : network.city[i])) = 1;
  row(4 + cities + network.plan[i]) = 1;
}

Matrix random_projection(Eigen::Index from, Eigen::Index to, std::uint64_t seed) {
  Random random(seed, Stream::generate, 100);
  Matrix projection(from, to);
  for (Eigen::Index i = 0; i < from; ++i)
    for (Eigen::Index j = 0; j < to; ++j)
      projection(i, j) = static_cast<float>(random.normal() / std::sqrt(static_cast<double>(from)));
  return projection;
}

Features purchase_features(const PurchaseNetwork& network, std::size_t width, std::uint64_t seed) {
  Features features;
  const std::vector<std::string> names = profile_columns();
  const auto profile = static_cast<Eigen::Index>(names.size());
  const auto columns = width == 0 ? profile : static_cast<Eigen::Index>(width);
  const Matrix projection = width == 0 ? Matrix() : random_projection(profile, columns, seed);
  if (width == 0) features.names = names;
  features.dense.resize(static_cast<Eigen::Index>(network.age.size()), columns);
  parallel_for(network.age.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    Eigen::RowVectorXf row(profile);
    for (std::size_t i = begin; i < end; ++i) {
      encode_profile(network, i, row);
      auto out = features.dense.row(static_cast<Eigen::Index>(i));
      if (width == 0)
        out = row;
      else
        out.noalias() = row * projection;
    }
  });
  return features;
}

/// Writes text to the stream in blocks; `flush` ends it. A destructor that wrote could not pass on an interruption.
class BlockWriter {
 public:
  explicit BlockWriter(std::ostream& out) : out_(out) {}
  template <class... Arguments>
  void write(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text_ += fmt::format(format, std::forward<Arguments>(arguments)...);
    if (text_.size() > kBlock) flush();
  }
  void flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

 private:
  std::ostream& out_;
  std::string text_;
};

void write_people(std::ostream& out, const PurchaseNetwork& network, const Split& split) {
  BlockWriter text(out);
  text.write("id,age,income,city,plan,buys,split\n");
  for (std::size_t i = 0; i < network.age.size(); ++i) {
    text.write("p{},{},", i, network.age[i]);
    if (!std::isnan(network.income[i])) text.write("{:.0f}", network.income[i]);
    text.write(",{},{},{},{}\n",
               network.city[i] == kNoCategory ? "" : purchase_cities()[network.city[i]],
               purchase_plans()[network.plan[i]],
               network.buys[i] < 0 ? "" : network.buys[i] == 1 ? "yes" : "no", data::role_name(split[i]));
  }
  text.flush();
}

void write_friends(std::ostream& out, const graph::EdgeList& ties) {
  BlockWriter text(out);
  text.write("source,target,weight\n");
  for (std::size_t e = 0; e < ties.size(); ++e)
    text.write("p{},p{},{}\n", ties.sources[e], ties.targets[e], static_cast<int>(ties.weights[e]));
  text.flush();
}

}  // namespace

Split purchase_split(const PurchaseNetwork& network, std::uint64_t seed) {
  Split split(network.buys.size(), Role::none);
  const std::uint64_t key = random_key(seed, Stream::split);
  for (std::size_t i = 0; i < split.size(); ++i) {
    const std::uint32_t place = random_bits(key, static_cast<std::uint32_t>(i)) % 10;
    if (network.buys[i] >= 0) split[i] = place < 6 ? Role::train : place < 8 ? Role::validation : Role::test;
  }
  return split;
}

NodeData purchase_data(const PurchaseNetworkOptions& options, std::size_t features) {
  PurchaseNetwork network = generate_purchase_network(options);
  NodeData data;
  data.name = "purchases";
  data.splits = {purchase_split(network, options.seed)};
  data.features = purchase_features(network, features, options.seed);
  data.labels.names = {"no", "yes"};
  data.labels.classes.assign(network.buys.begin(), network.buys.end());
  graph::NodeNames names;
  for (std::size_t i = 0; i < options.nodes; ++i) names.add(fmt::format("p{}", i));
  data.graph = graph::Graph(std::move(names), std::move(network.ties), {.direction = graph::Direction::directed});
  return data;
}

void write_purchase_files(const std::string& directory, const PurchaseNetwork& network, std::uint64_t seed) {
  make_folder(directory);
  const std::filesystem::path folder = directory;
  write_file_atomically((folder / "friends.csv").string(),
                        [&](std::ostream& out) { write_friends(out, network.ties); });
  const Split split = purchase_split(network, seed);
  write_file_atomically((folder / "people.csv").string(),
                        [&](std::ostream& out) { write_people(out, network, split); });
}

}  // namespace edgewise::app
