#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "bindings.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/version.hpp"
#include "edgewise/train/config/config.hpp"
#include "jobs.hpp"

namespace edgewise::python {
namespace {

/// The classes of core/error.hpp. What is wrong with an argument or with data is a ValueError, too.
void bind_errors(nb::module_& module) {
  // The most derived come last: translators are tried from the last one on.
  const nb::exception<Error> error(module, "Error");
  const nb::object of_value = nb::make_tuple(error, nb::borrow(PyExc_ValueError));
  const nb::object of_number = nb::make_tuple(error, nb::borrow(PyExc_ArithmeticError));
  nb::exception<UsageError>(module, "UsageError", of_value);
  nb::exception<DataError>(module, "DataError", of_value);
  nb::exception<ModelError>(module, "ModelError", of_value);
  nb::exception<NumericalError>(module, "NumericalError", of_number);
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Interrupted&) {
      Hooks::raise_interruption();
    }
  });
}

/// The argument for a setting: "learning_rate" for "training.learning_rate".
std::string argument_of(std::string_view path) {
  std::string name = train::flag_of(path).substr(2);
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace
}  // namespace edgewise::python

NB_MODULE(_core, module) {
  using namespace edgewise;
  namespace nb = nanobind;
  nb::set_leak_warnings(false);  // PyTorch keeps the passes of a graph until the interpreter ends
  python::bind_errors(module);
  name_settings(python::argument_of);
  module.attr("version") = kVersion;
  module.def("threads", &threads);
  module.def("set_threads", &set_threads);
  python::bind_ending(module);
  python::bind_mask(module);
  python::bind_attention(module);
  python::bind_jobs(module);
  python::bind_models(module);
  python::bind_training(module);
  python::bind_comparison(module);
  python::bind_search(module);
  python::bind_step(module);
  python::bind_tables(module);
}
