#pragma once

#include <nanobind/nanobind.h>

/// @file
/// The Python module edgewise._core: thin bindings, which the package edgewise makes convenient. Arrays are float32 and
/// contiguous, and configurations and results are JSON texts; the package converts both.
namespace edgewise::python {

namespace nb = nanobind;

void bind_mask(nb::module_& module);
void bind_attention(nb::module_& module);
void bind_jobs(nb::module_& module);
void bind_training(nb::module_& module);
void bind_models(nb::module_& module);
void bind_comparison(nb::module_& module);
void bind_search(nb::module_& module);
void bind_step(nb::module_& module);
void bind_tables(nb::module_& module);

}  // namespace edgewise::python
