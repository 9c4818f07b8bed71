#include "edgewise/train/baselines/tree_map.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;
using Eigen::Index;

namespace {

/// Column 0 below 1.5: -1; else column 2 below 0.5, or missing: 2, else 3.
const std::vector<TreeNode> kTree = {{.column = 0, .value = 1.5F, .below = 1, .above = 2, .missing = 2},
                                     {.value = -1},
                                     {.column = 2, .value = 0.5F, .below = 3, .above = 4, .missing = 3},
                                     {.value = 2},
                                     {.value = 3}};

TreeMap two_outputs() {
  TreeMap map(3);
  map.add_output(10);
  map.add_output(0);
  map.add_tree(0, kTree);
  map.add_tree(1, std::vector<TreeNode>{{.value = 0.25F}});
  map.add_tree(0, kTree);
  return map;
}

/// A tree of up to `most` nodes, which may be far from balanced.
std::vector<TreeNode> random_tree(std::size_t most, int columns, Random& random) {
  std::vector<TreeNode> tree(1);
  for (std::size_t place = 0; place < tree.size(); ++place) {
    tree[place].value = static_cast<float>(random.uniform());
    if (tree.size() + 2 > most || random.below(4) == 0) continue;
    TreeNode& node = tree[place];
    node.column = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(columns)));
    node.below = static_cast<std::uint32_t>(tree.size());
    node.above = node.below + 1;
    node.missing = random.below(2) == 0 ? node.below : node.above;
    tree.resize(tree.size() + 2);
  }
  return tree;
}

float leaf_of(const std::vector<TreeNode>& tree, const Eigen::VectorXf& row) {
  const TreeNode* node = tree.data();
  while (node->column != TreeNode::kLeaf) {
    const float entry = row[node->column];
    node = &tree[std::isnan(entry) ? node->missing : entry < node->value ? node->below : node->above];
  }
  return node->value;
}

SparseMatrix rows_of(const std::vector<std::vector<std::pair<int, float>>>& rows) {
  SparseMatrix matrix(static_cast<Index>(rows.size()), 3);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    matrix.startVec(static_cast<Index>(row));
    for (const auto& [column, value] : rows[row]) matrix.insertBack(static_cast<Index>(row), column) = value;
  }
  matrix.finalize();
  return matrix;
}

}  // namespace

TEST_CASE("trees add the values of their leaves", "[train][tree_map]") {
  const Matrix said = two_outputs().apply(rows_of({{{0, 1.4F}}, {{0, 1.5F}}, {{0, 2}, {2, 0}}, {{2, 0.5F}}, {}}));
  REQUIRE(said.cols() == 2);
  CHECK(said(0, 0) == 8);   // below
  CHECK(said(1, 0) == 14);  // not below; column 2 is missing
  CHECK(said(2, 0) == 14);  // an entry of 0 is not missing
  CHECK(said(3, 0) == 16);  // column 0 is missing
  CHECK(said(4, 0) == 14);
  CHECK((said.col(1).array() == 0.25F).all());
}

TEST_CASE("many rows at once reach the leaves that each reaches alone", "[train][tree_map]") {
  const int columns = GENERATE(3, 9'000);
  Random random(3, Stream::generate);
  TreeMap map(static_cast<std::size_t>(columns));
  map.add_output(0.5);
  std::vector<std::vector<TreeNode>> trees;
  for (int i = 0; i < 20; ++i) {
    trees.push_back(random_tree(1 + random.below(200), columns, random));
    map.add_tree(0, trees.back());
  }
  Matrix dense = Matrix::Constant(300, columns, std::numeric_limits<float>::quiet_NaN());
  std::vector<Eigen::Triplet<float>> entries;
  for (Index row = 0; row < dense.rows(); ++row)
    for (int column = 0; column < columns; ++column)
      if (random.below(3) > 0) {
        dense(row, column) = static_cast<float>(random.uniform());
        entries.emplace_back(static_cast<int>(row), column, dense(row, column));
      }
  SparseMatrix sparse(dense.rows(), columns);
  sparse.setFromTriplets(entries.begin(), entries.end());
  const Matrix said = map.apply(sparse);
  for (Index row = 0; row < dense.rows(); ++row) {
    double sum = 0.5;
    for (const std::vector<TreeNode>& tree : trees) sum += leaf_of(tree, dense.row(row));
    CHECK(said(row, 0) == static_cast<float>(sum));
  }
}

TEST_CASE("saved trees are restored, with the same bits at any number of threads", "[train][tree_map]") {
  Random random(7, Stream::generate);
  std::vector<std::vector<std::pair<int, float>>> rows(600);
  for (auto& row : rows)
    for (int column = 0; column < 3; ++column)
      if (random.below(3) > 0) row.emplace_back(column, static_cast<float>(random.uniform() * 3));
  const SparseMatrix matrix = rows_of(rows);
  const TreeMap map = two_outputs();
  const int before = threads();
  set_threads(1);
  const Matrix one = map.apply(matrix);
  set_threads(2);
  CHECK(TreeMap::from_json(json::parse(json::dump(map.to_json()), "t")).apply(matrix) == one);
  set_threads(before);
  CHECK(map.apply(SparseMatrix(matrix.bottomRows(100))) == one.bottomRows(100));
  CHECK(map.apply(SparseMatrix(0, 3)).rows() == 0);
}

TEST_CASE("invalid saved trees are refused", "[train][tree_map]") {
  const auto read = [](const std::string& tree) {
    return TreeMap::from_json(json::parse(R"({"columns": 2, "outputs": [{"bias": 0, "trees": [)" + tree + "]}]}", "t"));
  };
  CHECK(read("[1, 0.5, 1, 2, 1, -1, 3, 0, 0, 0, -1, 4, 0, 0, 0]").outputs() == 1);
  const std::string leaves = ", -1, 3, 0, 0, 0, -1, 4, 0, 0, 0]";
  for (const std::string& tree : std::vector<std::string>{
           "[]", "[-1, 3, 0, 0]", "[-1, 1e300, 0, 0, 0]", "[-2, 0.5, 1, 2, 1" + leaves, "[2, 0.5, 1, 2, 1" + leaves,
           "[0.5, 0.5, 1, 2, 1" + leaves, "[1e300, 0.5, 1, 2, 1" + leaves, "[1, 0.5, 0, 2, 2" + leaves,
           "[1, 0.5, 1, 3, 1" + leaves, "[1, 0.5, 1, 1e300, 1" + leaves, "[1, 0.5, -1, 2, 2" + leaves,
           "[1, 0.5, 1, 2, 0" + leaves}) {
    INFO(tree);
    CHECK_THROWS_AS(read(tree), ModelError);
  }
  for (const char* text : {"{}", R"({"columns": 0, "outputs": []})", R"({"columns": -1, "outputs": []})",
                           R"({"columns": 1e300, "outputs": []})", R"({"columns": 2000000, "outputs": []})",
                           R"({"columns": 2, "outputs": [1]})"}) {
    INFO(text);
    CHECK_THROWS_AS(TreeMap::from_json(json::parse(text, "t")), ModelError);
  }
  CHECK_THROWS_WITH(two_outputs().apply(SparseMatrix(1, 4)), Contains("expected 3 columns, got 4"));
  CHECK_THROWS_AS(two_outputs().add_tree(2, kTree), ModelError);
}
