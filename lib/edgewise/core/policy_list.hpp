#pragma once

namespace edgewise {

/// A list of types.
template <class... Policies>
struct PolicyList {};

}  // namespace edgewise
