#include "edgewise/report/item_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "edgewise/core/text.hpp"
#include "edgewise/report/chart_axis.hpp"
#include "edgewise/report/svg_chart.hpp"
#include "edgewise/train/targets/metrics.hpp"

namespace edgewise::report {
namespace {

constexpr double kMapWidth = 720, kMapHeight = 500;
constexpr double kMapTop = 34, kMapMargin = 14;  // around the points
constexpr double kMapLegendRow = 18;
constexpr std::size_t kMapLegendColumns = 3;
constexpr double kFaintest = 0.3;
constexpr std::size_t kMostTies = 8000;
constexpr std::size_t kRingedErrors = 10;
constexpr std::size_t kLongestName = 60;

/// How an item is drawn.
struct Look {
  std::string style;
  double sureness = 1;  // from 0 to 1
  bool is_wrong = false;
  std::string says;  // what is predicted, and known
};

struct LegendLine {
  std::string style;
  std::string label;
};

struct Looks {
  std::vector<Look> items = {};  // those of ItemPlaces::items
  std::vector<LegendLine> legend = {};
  std::string subject = {};  // "predicted class"
  std::string wrong = {};    // what a ring means; "" if there is none
  std::string in_words = {};
};

std::string in_words(const std::vector<LegendLine>& legend, const std::vector<Look>& looks) {
  std::string text;
  for (const LegendLine& line : legend) {
    const auto count = std::ranges::count(looks, line.style, &Look::style);
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", printable(line.label, 40), count);
  }
  return text;
}

/// "wrong, of the 335 test nodes", or "" if nothing is judged.
std::string what_is_wrong(const ItemMap& map) {
  return map.judged.empty() ? "" : fmt::format("wrong, of the {}", map.judged_name);
}

bool is_judged(const ItemMap& map, std::size_t i) {
  return std::ranges::binary_search(map.judged, map.places.items[i]);
}

/// The style of each class: of the six that are predicted most, in their own order; of the others "other".
std::vector<std::string> styles_of_classes(const std::vector<std::int32_t>& predicted, std::size_t classes) {
  std::vector<std::size_t> counts(classes), order(classes);
  for (const std::int32_t one : predicted) ++counts[static_cast<std::size_t>(one)];
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t one) { return counts[one]; });
  order.resize(std::min(classes, kSeriesStyles));
  std::ranges::sort(order);
  std::vector<std::string> styles(classes, "other");
  for (std::size_t i = 0; i < order.size(); ++i) styles[order[i]] = series_style(i);
  return styles;
}

Looks looks_of_classes(const ItemMap& map) {
  const std::vector<std::int32_t> predicted = train::predicted_classes(map.values);
  const std::vector<std::string> styles = styles_of_classes(predicted, map.names.size());
  Looks looks{.subject = "predicted class", .wrong = what_is_wrong(map)};
  const double chance = 1 / static_cast<double>(map.names.size());
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const auto best = static_cast<std::size_t>(predicted[i]);
    const double probability = map.values(static_cast<Eigen::Index>(i), predicted[i]);
    Look look{.style = styles[best],
              .sureness = chance < 1 ? (probability - chance) / (1 - chance) : 1,
              .says = fmt::format("{}, probability {:.2f}", printable(map.names[best], kLongestName), probability)};
    if (is_judged(map, i)) {
      const std::int32_t known = map.data.labels.classes[map.places.items[i]];
      look.is_wrong = known != predicted[i];
      const std::string truth = printable(map.names[static_cast<std::size_t>(known)], kLongestName);
      look.says += look.is_wrong ? fmt::format(", but it is {}", truth) : ", right";
    }
    looks.items.push_back(std::move(look));
  }
  for (std::size_t i = 0; i < map.names.size(); ++i)
    if (styles[i] != "other") looks.legend.push_back({styles[i], map.names[i]});
  if (map.names.size() > kSeriesStyles)
    looks.legend.push_back({"other", counted(map.names.size() - kSeriesStyles, "other class", "other classes")});
  return looks;
}

Looks looks_of_flags(const ItemMap& map) {
  const std::string name = printable(map.names.front(), kLongestName);
  Looks looks{.legend = {{"v0", name}, {"v1", "not " + name}},
              .subject = "predicted label",
              .wrong = what_is_wrong(map)};
  for (std::size_t i = 0; i < map.places.items.size(); ++i) {
    const double probability = map.values(static_cast<Eigen::Index>(i), 0);
    const bool has_label = probability >= 0.5;
    Look look{.style = has_label ? "v0" : "v1",
              .sureness = std::abs(2 * probability - 1),
              .says = fmt::format("{}, probability {:.2f}", name, probability)};
    if (is_judged(map, i) && map.data.labels.has_value(map.places.items[i], 0)) {
      look.is_wrong = has_label != (map.data.labels.targets(map.places.items[i], 0) > 0.5F);
      look.says += look.is_wrong ? ", wrong" : ", right";
    }
    looks.items.push_back(std::move(look));
  }
  return looks;
}

/// The lower ends of all ranges but the first: as many of the values lie in each.
std::vector<float> range_ends(std::vector<float> values) {
  std::ranges::sort(values);
  std::vector<float> ends;
  for (std::size_t i = 1; i < kRangeStyles; ++i) ends.push_back(values[i * values.size() / kRangeStyles]);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

/// What a range is called: "below 3", "3 to 5", "5 and more".
std::string name_of_range(const std::vector<float>& ends, std::size_t range) {
  if (range == 0) return fmt::format("below {}", plain_number(ends.front()));
  const std::string from = plain_number(ends[range - 1]);
  return range == ends.size() ? from + " and more" : fmt::format("{} to {}", from, plain_number(ends[range]));
}

/// The errors of the judged items on the map, NaN for others; by their places in ItemPlaces::items.
std::vector<float> errors_of(const ItemMap& map) {
  std::vector<float> errors;
  for (std::size_t i = 0; i < map.places.items.size(); ++i)
    errors.push_back(is_judged(map, i) ? std::abs(map.values(static_cast<Eigen::Index>(i), 0) -
                                                  map.data.labels.targets(map.places.items[i], 0))
                                       : std::nanf(""));
  return errors;
}

/// The places of the largest errors; none if there are hardly more errors than that.
std::set<std::size_t> largest_of(const std::vector<float>& errors) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < errors.size(); ++i)
    if (std::isfinite(errors[i])) order.push_back(i);
  if (order.size() <= kRingedErrors) return {};
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return errors[i]; });
  return {order.begin(), order.begin() + kRingedErrors};
}

Looks looks_of_numbers(const ItemMap& map) {
  const std::string name = printable(map.names.front(), kLongestName);
  Looks looks{.subject = "predicted " + name};
  const auto values = map.values.col(0);
  const std::vector<float> ends = range_ends({values.begin(), values.end()}), errors = errors_of(map);
  const std::set<std::size_t> largest = largest_of(errors);
  const float widest = map.deviations.size() > 0 ? map.deviations.col(0).maxCoeff() : 0;
  for (std::size_t i = 0; i < map.places.items.size(); ++i) {
    const float value = values[static_cast<Eigen::Index>(i)];
    const auto range = static_cast<std::size_t>(std::ranges::upper_bound(ends, value) - ends.begin());
    Look look{.style = fmt::format("r{}", range),
              .is_wrong = largest.contains(i),
              .says = fmt::format("{} {}", name, plain_number(value))};
    if (widest > 0) {
      const float deviation = map.deviations(static_cast<Eigen::Index>(i), 0);
      look.sureness = 1 - deviation / widest;
      look.says += fmt::format(" ± {}", plain_number(deviation));
    }
    if (std::isfinite(errors[i])) look.says += fmt::format(", off by {}", plain_number(errors[i]));
    looks.items.push_back(std::move(look));
  }
  for (std::size_t i = 0; i <= ends.size(); ++i)
    looks.legend.push_back({fmt::format("r{}", i), name_of_range(ends, i)});
  if (!largest.empty())
    looks.wrong = fmt::format("the {} largest errors among the {}", kRingedErrors, map.judged_name);
  return looks;
}

Looks looks_of(const ItemMap& map) {
  Looks looks = map.shape == data::LabelShape::classes ? looks_of_classes(map)
                : map.shape == data::LabelShape::flags ? looks_of_flags(map)
                                                       : looks_of_numbers(map);
  looks.in_words = in_words(looks.legend, looks.items);
  if (!looks.wrong.empty())
    looks.in_words += fmt::format("; {}: {}", looks.wrong, std::ranges::count(looks.items, true, &Look::is_wrong));
  return looks;
}

/// The name of an item, with the SMILES of a molecule.
std::string name_of(const ItemMap& map, graph::Node item) {
  std::string name = printable(map.data.items()[item], kLongestName);
  if (map.data.graphs && map.data.graphs->are_molecules)
    name += " " + printable(map.data.graphs->smiles[item], kLongestName);
  return name;
}

struct Canvas {
  const Matrix& places;
  double radius;

  double x(Eigen::Index point) const { return kMapMargin + places(point, 0) * (kMapWidth - 2 * kMapMargin); }
  double y(Eigen::Index point) const {
    return kMapTop + kMapMargin + places(point, 1) * (kMapHeight - kMapTop - 2 * kMapMargin);
  }
};

double radius_for(Eigen::Index points) { return points <= 100 ? 5 : points <= 500 ? 3.5 : 2.4; }

std::string draw_ties(const ItemMap& map, const Canvas& canvas) {
  const graph::EdgeList& edges = map.data.graph.edges();
  std::string path;
  for (const std::size_t i : even_places(edges.size(), kMostTies)) {
    const auto from = static_cast<Eigen::Index>(edges.sources[i]), to = static_cast<Eigen::Index>(edges.targets[i]);
    path += fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", canvas.x(from), canvas.y(from), canvas.x(to), canvas.y(to));
  }
  return fmt::format("<path class=\"ties\" d=\"{}\"/>\n", path);
}

/// Nodes of a network without a prediction.
std::string draw_others(const ItemMap& map, const Canvas& canvas) {
  std::vector<bool> is_drawn(static_cast<std::size_t>(map.places.places.rows()));
  for (std::size_t i = 0; i < map.places.items.size(); ++i)
    is_drawn[static_cast<std::size_t>(map.places.point_of(i))] = true;
  std::string svg;
  for (std::size_t point = 0; point < is_drawn.size(); ++point)
    if (const auto place = static_cast<Eigen::Index>(point); !is_drawn[point])
      svg += draw_mark({.x = canvas.x(place),
                        .y = canvas.y(place),
                        .style = "other",
                        .title = printable(map.data.graph.names()[static_cast<graph::Node>(point)], kLongestName),
                        .radius = canvas.radius / 2,
                        .opacity = 0.6});
  return svg;
}

std::string draw_items(const ItemMap& map, const Looks& looks, const Canvas& canvas) {
  std::string svg, rings;
  for (std::size_t i = 0; i < looks.items.size(); ++i) {
    const Look& look = looks.items[i];
    const Eigen::Index point = map.places.point_of(i);
    const double x = canvas.x(point), y = canvas.y(point);
    if (look.is_wrong)
      rings += fmt::format("<circle class=\"ring\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>\n", x, y,
                           canvas.radius + 3);
    svg += draw_mark({.x = x,
                      .y = y,
                      .style = look.style,
                      .title = fmt::format("{}: {}", name_of(map, map.places.items[i]), look.says),
                      .radius = canvas.radius,
                      .opacity = kFaintest + (1 - kFaintest) * std::clamp(look.sureness, 0.0, 1.0)});
  }
  return rings + svg;
}

/// Rows of the legend: those of the colours, and one for the ring.
std::size_t legend_rows(const Looks& looks) {
  const std::size_t colours = (looks.legend.size() + kMapLegendColumns - 1) / kMapLegendColumns;
  return colours + (looks.wrong.empty() ? 0 : 1);
}

std::string draw_map_legend(const Looks& looks) {
  constexpr double kColumn = kMapWidth / kMapLegendColumns;
  const auto height_of_row = [](std::size_t row) {
    return kMapHeight + kMapLegendRow * (0.5 + static_cast<double>(row));
  };
  std::string svg;
  for (std::size_t i = 0; i < looks.legend.size(); ++i) {
    const double x = kMapMargin + kColumn * static_cast<double>(i % kMapLegendColumns);
    const double y = height_of_row(i / kMapLegendColumns);
    svg += draw_mark({x, y, looks.legend[i].style});
    svg += text_at(x + 12, y + 4, "label", looks.legend[i].label, kColumn - 16);
  }
  if (looks.wrong.empty()) return svg;
  const double y = height_of_row(legend_rows(looks) - 1);
  svg += fmt::format("<circle class=\"ring\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6.5\"/>\n", kMapMargin, y);
  return svg + text_at(kMapMargin + 12, y + 4, "label", looks.wrong, kMapWidth - 2 * kMapMargin);
}

double height_of_legend(const Looks& looks) { return kMapLegendRow * static_cast<double>(legend_rows(looks)) + 4; }

}  // namespace

ItemMap item_map(const Scored& scored, const ItemPlaces& places, const Matrix& deviations) {
  ItemMap map{.data = scored.data,
              .places = places,
              .shape = scored.labels.task.shape,
              .names = scored.labels.names,
              .values = scored.predictions(places.items, Eigen::all),
              .judged = scored.items,
              .judged_name = items_of(scored)};
  if (deviations.size() > 0) map.deviations = deviations(places.items, Eigen::all);
  std::ranges::sort(map.judged);
  return map;
}

std::string draw(const ItemMap& map) {
  const Looks looks = looks_of(map);
  const Canvas canvas{map.places.places, radius_for(map.places.places.rows())};
  const std::string title = fmt::format("Map of the {}: {}", map.data.noun().many, looks.subject);
  std::string svg = open_svg(kMapWidth, kMapHeight + height_of_legend(looks), title, looks.in_words);
  svg += text_at(0, 18, "title", title, kMapWidth);
  if (map.places.is_network) svg += draw_ties(map, canvas) + draw_others(map, canvas);
  return svg + draw_items(map, looks, canvas) + draw_map_legend(looks) + "</svg>\n";
}

Figure map_figure(const ItemMap& map) {
  const std::size_t edges = map.data.graph.edge_count();
  std::string text =
      map.places.is_network
          ? "The network, drawn so that edges are short."
          : fmt::format("Items are close to each other if they are alike to the model: these are the two directions in "
                        "which its embeddings, the inputs of its last layer, vary most.");
  text += " The fainter a mark, the less sure the model; point at one to see whose it is.";
  if (map.places.is_network && edges > kMostTies)
    text += fmt::format(" {} of the {} edges are drawn.", kMostTies, edges);
  if (map.places.items.size() < map.places.predicted)
    text += fmt::format(" {} of the {} {} are drawn, by lot.", map.places.items.size(), map.places.predicted,
                        map.data.noun().many);
  return {.svg = draw(map), .caption = text, .is_wide = true};
}

std::string map_section(const Scored& scored, const std::optional<ItemPlaces>& places, const Matrix& deviations) {
  if (!places) return "";
  return heading("Map") + figures({map_figure(item_map(scored, *places, deviations))});
}

}  // namespace edgewise::report
