#include "jobs.hpp"

#include <nanobind/stl/string.h>

#include <cstdlib>
#include <ostream>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "edgewise/core/atomic_file.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/core/json_fields.hpp"
#include "edgewise/train/config/config.hpp"
#include "edgewise/train/run/recipe.hpp"
#include "unlocked.hpp"

namespace edgewise::python {
namespace {

/// [["--weight-decay", "training.weight_decay", "number", "L2 ..."], ...]: the flags of a configuration.
void add_flags(const std::vector<json::FieldDoc>& fields, const std::string& prefix, json::Array& flags) {
  for (const json::FieldDoc& field : fields) {
    const std::string path = prefix + std::string(field.name);
    if (!field.flag.empty())
      flags.push_back(json::Array{field.flag, path, json::name_of(field.type), field.doc});
    add_flags(field.fields, path + ".", flags);
  }
}

std::string config_flags() {
  json::Array flags;
  add_flags(train::config_fields(), "", flags);
  return json::dump(flags);
}

/// Writes the file as a whole, or leaves the one that is there.
void write_file(const std::string& path, const std::string& text) {
  write_file_atomically(path, [&](std::ostream& out) { out << text; });
}

std::string read_config_file(const std::string& path) {
  const json::Value config = json::parse_file(path);
  train::check_members(config);
  return json::dump(config);
}

}  // namespace

train::PartHolding parts_of_process() {
  const char* folder = std::getenv("TMPDIR");
  return {.folder = folder == nullptr ? "" : folder};
}

json::Value given_config(const std::string& text) {
  json::Value given = json::parse(text, "configuration");
  train::check_members(given);
  return given;
}

train::Config job_config(const json::Value& given) {
  return train::parse_config(train::with_defaults(given).rooted_at("configuration"));
}

void bind_jobs(nb::module_& module) {
  module.def("write_file", &write_file, nb::arg("path"), nb::arg("text"), nb::call_guard<Unlocked>());
  module.def("config_flags", &config_flags);
  module.def("read_config_file", &read_config_file, nb::arg("path"));
}

}  // namespace edgewise::python
