#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace edgewise::report {

enum class Scale {
  linear,
  logarithmic,
  binary,  ///< Logarithmic, with ticks at powers of 4.
};

using FormatNumber = std::function<std::string(double)>;

/// At most four digits: "0.125", "1200".
std::string plain_number(double value);

struct ChartAxis {
  std::string label = {};
  FormatNumber format = plain_number;
  Scale scale = Scale::linear;
  std::vector<double> ticks = {};  ///< Empty: round numbers.
  std::optional<double> low = {};  ///< Where the axis begins; by default it makes room for all points.
  std::optional<double> high = {};
};

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

}  // namespace edgewise::report
