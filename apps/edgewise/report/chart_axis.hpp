#pragma once

#include <limits>
#include <vector>

#include "report/svg_chart.hpp"

namespace edgewise::app {

/// The values that an axis has to show.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value);  ///< Does nothing unless it is finite.
  bool is_empty() const { return !(high >= low); }
};

/// An axis with its place in the drawing.
struct PlacedAxis {
  Scale scale = Scale::linear;
  double low;
  double high;
  double from;  ///< Where `low` is drawn.
  double to;

  /// The value on a scale that is linear in the drawing.
  double level(double value) const;
  double place(double value) const;
  /// The value at this level.
  double at_level(double level) const;
  /// The ticks that the axis asks for, or round numbers.
  std::vector<double> ticks(const std::vector<double>& asked) const;
};

/// An axis for these values, drawn between `from` and `to`, with some room at both ends that it does not fix itself.
/// `headroom`: shares of the axis to leave free above, for labels.
PlacedAxis place_axis(const ChartAxis& axis, const Range& values, double from, double to, double headroom = 0);

}  // namespace edgewise::app
