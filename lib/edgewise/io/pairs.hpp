#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace edgewise::io {

/// Texts and what each becomes: sentences and their translations, words and how they sound. A source may be there
/// several times, with different targets.
struct TextPairs {
  std::string file;                  ///< Of the sources, for messages.
  std::vector<std::string> sources;
  std::vector<std::string> targets;  ///< As many, or none.
  std::vector<std::uint64_t> lines;  ///< Of each pair in the file, counted from 1.
};

/// Whether each pair needs a target. If not, either all lines have one or none has.
enum class Targets { required, optional };

/// Lines of source TAB target, plain or gzip. Left out, which is added to `notes`: a first line that names two
/// languages or roles (english, source), the quotes if they are around every field, and further columns that all lines
/// have, such as the attributions of Tatoeba. Empty lines at the end are skipped. Throws DataError naming the line if
/// it is empty, if a side is, if lines have different numbers of columns, if one of the first two holds numbers beside
/// others that do not, for TMX, XLIFF, JSON and the like with a command that converts them, or as TextReader does.
TextPairs read_pairs(const std::string& path, Targets targets = Targets::required,
                     std::vector<std::string>* notes = nullptr);

/// Line n of one file and line n of the other. Empty lines at the end of both are skipped. Throws DataError for another
/// empty line and for files of different lengths.
TextPairs read_pairs(const std::string& sources, const std::string& targets);

/// The pronouncing dictionary of Carnegie Mellon University: `word PH0 PH1 ... # comment`, with `word(2)` for a second
/// pronunciation, which becomes another pair of the same word.
TextPairs read_pronunciations(const std::string& path);

}  // namespace edgewise::io
