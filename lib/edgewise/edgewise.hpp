#pragma once

/// Everything, for first programs. Libraries include precisely what they use.
#include "edgewise/attention/attend.hpp"
#include "edgewise/autograd/tape.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/version.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/graph/graph.hpp"
