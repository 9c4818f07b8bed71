// The JSON in docs/models.md makes valid models.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/nn/block_table.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/nn/presets.hpp"

using namespace edgewise;

namespace {

std::string read_page() {
  std::ifstream in(std::string(EDGEWISE_SOURCE_DIR) + "/docs/models.md", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("every model on the page about models can be made", "[nn][models_page]") {
  const std::string page = read_page();
  const std::string fence = "```json\n";
  int count = 0;
  for (std::size_t begin = page.find(fence); begin != std::string::npos; begin = page.find(fence, begin)) {
    begin += fence.size();
    const std::string text = page.substr(begin, page.find("```", begin) - begin);
    INFO(text);
    nn::Model model(json::parse(text, "docs/models.md"), {.inputs = 10, .outputs = 3}, 1);
    CHECK(model.parameter_count() > 0);
    ++count;
  }
  CHECK(count == 6);
}

TEST_CASE("the page about models mentions every block, every mask and every preset", "[nn][models_page]") {
  const std::string page = read_page();
  for (const std::string& type : nn::block_types()) CHECK(page.find("### " + type + "\n") != std::string::npos);
  for (const graph::MaskRule& rule : graph::mask_rules())
    CHECK(page.find("| `" + rule.usage() + "` |") != std::string::npos);
  for (const std::string& name : nn::preset_names()) CHECK(page.find("| `" + name + "` |") != std::string::npos);
}
