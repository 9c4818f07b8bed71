#include "edgewise/train/doctor/mixed_measurements.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

io::Column texts(const char* name, const std::vector<std::string>& categories, std::size_t rows = 6) {
  io::Column column;
  column.name = name;
  column.is_numeric = false;
  column.categories = categories;
  for (std::size_t row = 0; row < rows; ++row)
    column.codes.push_back(static_cast<std::int32_t>(row % categories.size()));
  return column;
}

std::vector<std::string> notes(const io::Column& column, data::Task task = data::Task::regression) {
  train::Dataset data;
  data.labels.task = task;
  data.labels.names = {"value"};
  data.labels.targets = Matrix::Ones(6, 1);
  data.table.columns = {column};
  return train::mixed_measurement_notes(data);
}

}  // namespace

TEST_CASE("a column that mixes units or quantities has a remark", "[train][mixed_measurements]") {
  CHECK_THAT(notes(texts("Standard Units", {"nM", "nM", "ug.mL-1"})).at(0),
             Contains("the column \"Standard Units\" says that the values of \"value\" are in different units"));
  CHECK_THAT(notes(texts("unit", {"uM", "%"})).at(0), Contains("(% 3, uM 3)") && Contains("convert them to one"));
  CHECK_THAT(notes(texts("standard_type", {"IC50", "Ki"})).at(0), Contains("are different quantities (IC50 3, Ki 3)"));
  CHECK(notes(texts("Activity_Name", {"IC50", "EC50"})).size() == 1);
  CHECK_THAT(notes(texts("assay_type", {"B", "F"})).at(0), Contains("assays of different types"));
}

TEST_CASE("columns of other things have no remark", "[train][mixed_measurements]") {
  CHECK(notes(texts("Standard Units", {"nM"})).empty());
  CHECK(notes(texts("unit", {"cardiology", "surgery"})).empty());
  CHECK(notes(texts("type", {"acid", "base"})).empty());
  CHECK(notes(texts("community", {"nM", "uM"})).empty());
  CHECK(notes(texts("Standard Units", {"nM", "uM"}), data::Task::multilabel).empty());
  io::Column missing = texts("Standard Units", {"nM", "uM"});
  missing.codes = {0, 0, 0, -1, -1, -1};
  CHECK(notes(missing).empty());
}
