#include "links.hpp"

#include <fmt/format.h>

#include <sstream>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/result_graph.hpp"
#include "edgewise/train/use/link_prediction.hpp"
#include "edgewise/train/use/link_suggestions.hpp"
#include "edgewise/train/use/prediction_table.hpp"
#include "edgewise/train/use/selection.hpp"
#include "message.hpp"

namespace edgewise::app {
namespace {

void check_arguments(const LinkArguments& arguments) {
  if (arguments.pairs.empty() && arguments.top == 0 && arguments.embeddings.empty())
    throw UsageError("predict: the model says which ties there are: name pairs of nodes (--links pairs.csv), or ask "
                     "for new ties of each node (--top 10)");
  if (arguments.out != "-" && io::is_graph_format(io::result_format(arguments.out)))
    throw UsageError(fmt::format("--out: {}: pairs of nodes are written as .csv or .jsonl", arguments.out));
  if (!arguments.pairs.empty() && arguments.top > 0)
    throw UsageError("--top: cannot be combined with --links, which names the pairs");
  if (arguments.top == 0 && !arguments.selection.empty())
    throw UsageError("--nodes-to-predict: is for --top; --links names the pairs");
  if (arguments.common > 0 && arguments.pairs.empty() && arguments.top == 0)
    throw UsageError("--common-neighbours: is for --links and --top");
}

train::Suggestions suggest(const Session& session, const LinkArguments& arguments, train::LinkScorer& scorer) {
  train::SuggestionOptions options{.top = static_cast<std::size_t>(arguments.top)};
  if (!arguments.selection.empty()) options.nodes = train::read_selection(arguments.selection, scorer.source_names());
  train::Suggestions result = train::suggest_links(scorer, options);
  if (!result.are_all_looked_at)
    note(session, fmt::format("--top: looks at up to {} nodes for each: those in {}, and those with the nearest rows; "
                              "of {} left out one by one, {:.1f} % are among them",
                              (scorer.links().has_two_sides ? 3 : 2) * options.candidates,
                              scorer.links().has_two_sides ? "three steps, popular ones" : "two steps",
                              counted(result.judged, "known tie"), 100 * result.recall));
  return result;
}

void write_embeddings(const LinkArguments& arguments, const train::LinkScorer& scorer) {
  const Matrix& rows = scorer.embeddings();
  if (rows.cols() == 0)
    throw UsageError("--embeddings: the model uses numbers of pairs only, and makes no rows of the nodes; train a "
                     "network for ties, such as --model gcn");
  io::write_predictions(arguments.embeddings, scorer.names(), train::embeddings_table("node", rows));
}

}  // namespace

int predict_links(const Session& session, const LinkArguments& arguments, train::ModelData& loaded) {
  check_arguments(arguments);
  train::LinkScorer scorer(loaded);
  if (!arguments.embeddings.empty()) write_embeddings(arguments, scorer);
  const bool is_top = arguments.top > 0;
  json::Value object = json::Object{{"schema", "edgewise.predict/1"},
                                    {"model", arguments.model},
                                    {"dataset", loaded.data.name},
                                    {"task", "links"}};
  if (!arguments.embeddings.empty()) object.set("embeddings", arguments.embeddings);
  if (!is_top && arguments.pairs.empty()) {
    session.print_result(fmt::format("{}: rows of {}", arguments.embeddings, counted(scorer.names().size(), "node")),
                         object);
    return kDone;
  }
  train::LinkTable table;
  if (is_top) {
    train::Suggestions result = suggest(session, arguments, scorer);
    if (!result.are_all_looked_at) object.set("candidate_recall", result.recall);
    table = std::move(result.table);
  } else {
    table = train::score_links(scorer, train::read_node_pairs(arguments.pairs, scorer.pair_names()));
  }
  if (arguments.common > 0) train::add_common_neighbours(scorer, static_cast<std::size_t>(arguments.common), table);
  if (arguments.out == "-") {
    std::ostringstream text;
    train::write_links(text, io::ResultFormat::csv, scorer.pair_names(), table);
    print_data(text.str());
    return kDone;
  }
  train::write_links(arguments.out, scorer.pair_names(), table);
  object.set("rows", static_cast<std::int64_t>(table.pairs.size()));
  object.set("others_per_tie", train::kOthersPerTie);
  object.set("threads", threads());
  object.set("out", arguments.out);
  session.print_result(fmt::format("{}: {}", arguments.out,
                                   is_top ? counted(table.pairs.size(), "suggestion")
                                          : fmt::format("probabilities of {}, assuming that half are ties",
                                                        counted(table.pairs.size(), "pair"))),
                       object);
  return kDone;
}

}  // namespace edgewise::app
