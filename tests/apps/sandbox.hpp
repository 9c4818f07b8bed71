#pragma once

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/command.hpp"
#include "support/temporary_directory.hpp"
#include "train/toy_files.hpp"

namespace edgewise::test {

/// The words of a shell command, as places in its text. Quotes belong to them.
inline std::vector<std::string_view> words_of_command(std::string_view command) {
  constexpr std::string_view kBlanks = " \t\n";
  std::vector<std::string_view> words;
  for (std::size_t at = command.find_first_not_of(kBlanks); at < command.size();) {
    std::size_t end = at;
    for (char quote = '\0'; end < command.size() && (quote != '\0' || kBlanks.find(command[end]) == kBlanks.npos);
         ++end)
      if (command[end] == '\'' || command[end] == '"')
        quote = quote == '\0' ? command[end] : quote == command[end] ? '\0' : quote;
    words.push_back(command.substr(at, end - at));
    at = std::min(command.find_first_not_of(kBlanks, end), command.size());
  }
  return words;
}

/// The command with the last of each flag that takes one value: a test begins with defaults that what follows replaces.
inline std::string with_last_flags(std::string command) {
  constexpr std::string_view kLists[] = {"--set",     "--keep",    "--models",         "--descriptors", "--edges",
                                         "--nodes",   "--label",   "--target",         "--ignore",      "--missing",
                                         "--missing-labels", "--categorical", "--edge-features", "--smiles",
                                         "--amount"};
  const auto is_operator = [](std::string_view word) {
    return !word.starts_with("--") && word.find_first_of(";|&<>(){}") != word.npos &&
           word.find_first_of("'\"") == word.npos;
  };
  std::set<std::string, std::less<>> later;
  const std::vector<std::string_view> words = words_of_command(command);
  std::vector<std::pair<std::size_t, std::size_t>> dropped;  // from the end
  for (std::size_t i = words.size(); i-- > 0;) {
    if (is_operator(words[i])) later.clear();
    const std::string_view flag = words[i].substr(0, words[i].find('='));
    if (!flag.starts_with("--") || std::ranges::count(kLists, flag) > 0 || later.emplace(flag).second) continue;
    const bool has_value = flag.size() == words[i].size() && i + 1 < words.size() && !words[i + 1].starts_with("--") &&
                           !is_operator(words[i + 1]);
    const std::string_view last = has_value ? words[i + 1] : words[i];
    const auto begin = static_cast<std::size_t>(words[i].data() - command.data());
    dropped.emplace_back(begin, static_cast<std::size_t>(last.data() + last.size() - words[i].data()));
  }
  for (const auto& [begin, size] : dropped) command.erase(begin, size);
  return command;
}

/// A folder with friends.csv and people.csv to run commands in.
class Sandbox {
 public:
  Sandbox() { write_friends(directory_.path()); }

  Result shell(const std::string& command) const { return run_as_it_is(with_last_flags(command)); }
  Result run_as_it_is(const std::string& command) const { return run_command(directory_.path(), command); }
  Result run(const std::string& arguments) const { return shell(kBinary + arguments); }
  Result train(const std::string& arguments = "") const { return run(fmt::format("train {}{}", kTrain, arguments)); }

  /// Interrupts the command as soon as it handles the signal (number 2, in the last digit of the mask). Until the shell
  /// has started it, the process has the name and the handlers of the shell.
  Result interrupt(const std::string& arguments) const {
    return shell(kBinary + arguments +
                 " & is_ready() { grep -q '^Name:.*edgewise' /proc/$1/status && "
                 "grep -q '^SigCgt:.*[2367abef]$' /proc/$1/status; }; "
                 "while kill -0 $! && ! is_ready $!; do sleep 0.02; done; kill -INT $!; wait $!");
  }

  /// Writes other.csv and ties.csv: other people, most with the same names as in people.csv.
  void write_others() const {
    std::string people = read("people.csv");
    people.replace(people.find("\np4,"), 4, "\nq4,");
    write("other.csv", people);
    write("ties.csv", "source,target,weight\np0,p1,1\np2,q4,3\n");
  }

  void write(const std::string& name, const std::string& text) const { directory_.write(name, text); }
  std::filesystem::path path(const std::string& name) const { return directory_.path() / name; }
  std::string read(const std::string& name) const { return slurp(path(name)); }

  inline static const std::string kBinary = "'" EDGEWISE_CLI "' ";
  static constexpr const char* kFiles = "--edges friends.csv --nodes people.csv ";
  static constexpr const char* kTrain =
      "--edges friends.csv --nodes people.csv --label buys --hidden 8 --heads 2 --learning-rate 0.02 --threads 1 "
      "--epochs 20 ";

 private:
  TemporaryDirectory directory_;
};

inline std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// The text before the first comma of each line.
inline std::vector<std::string> first_columns(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) names.push_back(line.substr(0, line.find(',')));
  return names;
}

/// Expects one line that starts with the name of the program.
inline void check_one_line(const Result& result) {
  CHECK_THAT(result.error, Catch::Matchers::StartsWith("edgewise: "));
  CHECK(lines_of(result.error) == 1);
  CHECK(result.out.empty());
}

}  // namespace edgewise::test
