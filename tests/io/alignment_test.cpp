#include "edgewise/io/alignment.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/io/text_reader.hpp"
#include "io/files.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

io::Alignment small_alignment() {
  io::Alignment alignment{.sources = {"k", "<"}, .targets = {"N"}, .layers = {"first", "second"}, .weights = {}};
  Matrix one(1, 2), two(1, 2);
  one << 0.25F, 0.75F;
  two << 0.5F, 0.5F;
  alignment.weights = {one, two};
  return alignment;
}

}  // namespace

TEST_CASE("an alignment is a table of all layers, or a picture of their mean", "[io][alignment]") {
  const test::Files files;
  const io::Alignment alignment = small_alignment();
  io::write_alignment(files.path("a.csv"), alignment);
  CHECK(io::read_text(files.path("a.csv")) ==
        "layer,target_place,target,source_place,source,weight\n"
        "first,1,N,1,k,0.25\nfirst,1,N,2,<,0.75\nsecond,1,N,1,k,0.5\nsecond,1,N,2,<,0.5\n");
  io::write_alignment(files.path("a.jsonl"), alignment);
  CHECK_THAT(io::read_text(files.path("a.jsonl")), Contains("\"source\":\"<\",\"weight\":0.75}"));
  io::write_alignment(files.path("a.svg"), alignment);
  const std::string picture = io::read_text(files.path("a.svg"));
  CHECK_THAT(picture, Contains("fill-opacity=\"0.375\"") && Contains("fill-opacity=\"0.625\"") && Contains("&lt;"));
  CHECK_THROWS_AS(io::write_alignment(files.path("a.dot"), alignment), UsageError);
}
