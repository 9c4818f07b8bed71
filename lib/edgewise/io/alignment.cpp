#include "edgewise/io/alignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "edgewise/core/error.hpp"
#include "edgewise/io/detail/xml.hpp"
#include "edgewise/io/text_writer.hpp"

namespace edgewise::io {
namespace {

constexpr int kCell = 24, kLetter = 8;  // pixels

bool is_picture(const std::string& path) { return path.ends_with(".svg") || path.ends_with(".svg.gz"); }

/// Room for the longest of the texts.
int room_for(const std::vector<std::string>& texts) {
  std::size_t longest = 0;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  return kLetter * static_cast<int>(longest) + kLetter;
}

void draw(std::ostream& out, const Alignment& alignment) {
  const Matrix weights = alignment.mean();
  const int left = room_for(alignment.targets), top = room_for(alignment.sources);
  const int width = left + kCell * static_cast<int>(alignment.sources.size()),
            height = top + kCell * static_cast<int>(alignment.targets.size());
  out << fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      width, height);
  for (std::size_t s = 0; s < alignment.sources.size(); ++s)
    out << fmt::format("<text transform=\"translate({} {}) rotate(-90)\">{}</text>\n",
                       left + kCell * static_cast<int>(s) + kCell / 2 + 4, top - 4,
                       detail::xml_escape(alignment.sources[s]));
  for (std::size_t t = 0; t < alignment.targets.size(); ++t) {
    const int y = top + kCell * static_cast<int>(t);
    out << fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", left - 4, y + kCell / 2 + 5,
                       detail::xml_escape(alignment.targets[t]));
    for (std::size_t s = 0; s < alignment.sources.size(); ++s) {
      const float weight = weights(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(s));
      out << fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#d55e00\" fill-opacity=\"{:.3f}\" "
          "stroke=\"#dddddd\"><title>{:.3f}</title></rect>\n",
          left + kCell * static_cast<int>(s), y, kCell, kCell, weight, weight);
    }
  }
  out << "</svg>\n";
}

template <class Write>
void each_weight(const Alignment& alignment, const Write& write) {
  for (std::size_t layer = 0; layer < alignment.layers.size(); ++layer)
    for (std::size_t t = 0; t < alignment.targets.size(); ++t)
      for (std::size_t s = 0; s < alignment.sources.size(); ++s)
        write(alignment.layers[layer], t, s,
              alignment.weights[layer](static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(s)));
}

}  // namespace

Matrix Alignment::mean() const {
  Matrix sum = Matrix::Zero(static_cast<Eigen::Index>(targets.size()), static_cast<Eigen::Index>(sources.size()));
  for (const Matrix& of_layer : weights) sum += of_layer;
  return sum / static_cast<float>(std::max<std::size_t>(weights.size(), 1));
}

void check_alignment_path(const std::string& path) {
  if (is_picture(path)) return;
  const ResultFormat format = result_format(path);
  if (format != ResultFormat::csv && format != ResultFormat::json_lines)
    throw UsageError(fmt::format("{}: an alignment is written as .svg, .csv or .jsonl", path));
}

void write_alignment(const std::string& path, const Alignment& alignment) {
  check_alignment_path(path);
  write_text(path, [&](std::ostream& out) {
    if (is_picture(path)) return draw(out, alignment);
    const bool is_csv = result_format(path) == ResultFormat::csv;
    if (is_csv) out << "layer,target_place,target,source_place,source,weight\n";
    each_weight(alignment, [&](const std::string& layer, std::size_t t, std::size_t s, float weight) {
      const std::string &target = alignment.targets[t], &source = alignment.sources[s];
      if (is_csv)
        out << fmt::format("{},{},{},{},{},{}\n", csv_field(layer), t + 1, csv_field(target), s + 1, csv_field(source),
                           number_text(weight));
      else
        out << fmt::format(
            "{{\"layer\":{},\"target_place\":{},\"target\":{},\"source_place\":{},\"source\":{},\"weight\":{}}}\n",
            json_string(layer), t + 1, json_string(target), s + 1, json_string(source), number_text(weight));
    });
  });
}

}  // namespace edgewise::io
