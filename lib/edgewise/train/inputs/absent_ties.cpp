#include "edgewise/train/inputs/absent_ties.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "edgewise/core/error.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/train/source/node_pairs.hpp"

namespace edgewise::train {

graph::Ties read_absent_ties(const std::string& path, const Dataset& data, const graph::Ties& known,
                             const NoteHook& note) {
  if (path != "-" && !std::filesystem::exists(path))
    throw DataError(
        fmt::format("{}: no such file; pairs without a tie are those of a file, or uniform, degree or two_steps "
                    "in training and all in an evaluation",
                    path));
  NodePairs absent;
  const PairNames names = data.pair_names();
  const LinkItems& links = *data.links;
  std::size_t ties = 0;
  for (const NodePairRow& row : read_node_pair_rows(path, names)) {
    if (known.contains(row.source, row.target))
      ++ties;
    else
      absent.add(row.source, row.target);
  }
  if (ties > 0)
    note(fmt::format("{}: leaves out {} of the network", path,
                     counted(ties, "pair that is a tie", "pairs that are ties")));
  if (absent.size() == 0) throw DataError(fmt::format("{}: all pairs there are ties of the network", path));
  return {known.node_count(), absent.sources, absent.targets, links.direction};
}

}  // namespace edgewise::train
