#pragma once

namespace edgewise {

/// A table of types.
template <class... Policies>
struct PolicyList {};

}  // namespace edgewise
