#pragma once

#include "session.hpp"

namespace edgewise::app {

/// edgewise data plan: what a step of training on a frozen network takes, on one process and on several.
void add_plan(CLI::App& data_verb, Session& session);

}  // namespace edgewise::app
