#pragma once

namespace edgewise::train {

/// The output in the place of a candidate for an end of a tie if there is none, since the other end knows everybody.
/// It is finite, and below all others.
inline constexpr float kNobody = -80;

}  // namespace edgewise::train
