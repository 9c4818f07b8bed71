#include "pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <sstream>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/text_writer.hpp"
#include "edgewise/train/use/pair_prediction.hpp"
#include "message.hpp"

namespace edgewise::app {
namespace {

using Written = std::vector<std::vector<train::Writing>>;

void write_rows(std::ostream& out, io::ResultFormat format, const std::vector<std::string>& sources,
                const Written& written) {
  const bool is_csv = format == io::ResultFormat::csv;
  if (is_csv) out << "pair,source,rank,predicted,log_probability\n";
  for (std::size_t pair = 0; pair < written.size(); ++pair)
    for (std::size_t rank = 0; rank < written[pair].size(); ++rank) {
      const auto& [text, log_probability] = written[pair][rank];
      const std::string number = io::number_text(static_cast<float>(log_probability));
      if (is_csv)
        out << fmt::format("{},{},{},{},{}\n", pair + 1, io::csv_field(sources[pair]), rank + 1, io::csv_field(text),
                           number);
      else
        out << fmt::format("{{\"pair\":{},\"source\":{},\"rank\":{},\"predicted\":{},\"log_probability\":{}}}\n",
                           pair + 1, io::json_string(sources[pair]), rank + 1, io::json_string(text), number);
    }
}

}  // namespace

int predict_pairs(const Session& session, const std::string& path, train::ModelData& loaded, std::int64_t beam,
                  const std::string& out) {
  const bool is_shown = out == "-";
  const io::ResultFormat format = is_shown ? io::ResultFormat::csv : io::result_format(out);
  if (format != io::ResultFormat::csv && format != io::ResultFormat::json_lines)
    throw UsageError(fmt::format("--out: {}: predictions for pairs are written as .csv or .jsonl", out));
  const Written written = train::predict_pairs(loaded, {.beam = static_cast<std::size_t>(beam)});
  const std::vector<std::string>& sources = loaded.data.pairs->texts.sources;
  if (is_shown) {
    std::ostringstream text;
    write_rows(text, format, sources, written);
    print_data(text.str());
    return kDone;
  }
  io::write_text(out, [&](std::ostream& to) { write_rows(to, format, sources, written); });
  const json::Value object = json::Object{{"schema", "edgewise.predict/1"},
                                          {"model", path},
                                          {"dataset", loaded.data.name},
                                          {"pairs", static_cast<std::int64_t>(written.size())},
                                          {"beam", beam},
                                          {"threads", threads()},
                                          {"out", out}};
  session.print_result(fmt::format("{}: predictions for {}", out, counted(written.size(), "source")), object);
  return kDone;
}

int explain_pair(const Session& session, const std::string& path, train::ModelData& loaded, std::int64_t row,
                 const std::string& out) {
  const train::PairItems& pairs = *loaded.data.pairs;
  if (row < 1 || row > static_cast<std::int64_t>(pairs.size()))
    throw UsageError(fmt::format("--row: expected a pair from 1 to {}, got {}", pairs.size(), row));
  if (!out.empty()) io::check_alignment_path(out);
  const auto pair = static_cast<std::size_t>(row - 1);
  const auto [written, alignment] =
      train::align_pair(loaded, pair, {.beam = static_cast<std::size_t>(train::kUsualBeam)});
  if (!out.empty()) io::write_alignment(out, alignment);
  const Matrix mean = alignment.mean();
  json::Array looks;
  std::string text = fmt::format("{}: {} (log probability {:.4f})", pairs.texts.sources[pair], written.text,
                                 written.log_probability);
  for (Eigen::Index t = 0; t < mean.rows(); ++t) {
    Eigen::Index most = 0;
    const float weight = mean.row(t).maxCoeff(&most);
    const std::string &target = alignment.targets[static_cast<std::size_t>(t)],
                      &source = alignment.sources[static_cast<std::size_t>(most)];
    text += fmt::format("\n  {:<12} looks most at {} (place {}, {:.3f})", target, source, most + 1, weight);
    looks.emplace_back(json::Object{{"target", target},
                                    {"source", source},
                                    {"source_place", static_cast<std::int64_t>(most + 1)},
                                    {"weight", static_cast<double>(weight)}});
  }
  json::Value object = json::Object{{"schema", "edgewise.explain/1"},
                                    {"by", "attention"},
                                    {"model", path},
                                    {"dataset", loaded.data.name},
                                    {"source", pairs.texts.sources[pair]},
                                    {"predicted", written.text},
                                    {"log_probability", written.log_probability},
                                    {"looks", std::move(looks)}};
  if (!out.empty()) {
    object.set("out", out);
    text += fmt::format("\n{}: the weights of {}", out, counted(alignment.layers.size(), "layer"));
  }
  session.print_result(text, object);
  return kDone;
}

}  // namespace edgewise::app
