#include "generate/dates.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <ostream>
#include <unordered_set>

#include "edgewise/core/atomic_file.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/folder.hpp"
#include "edgewise/core/random.hpp"

namespace edgewise::app {
namespace {

using std::chrono::sys_days;
using std::chrono::year;
using std::chrono::year_month_day;

constexpr std::size_t kMostDates = 100'000;  // of the 36,525 days of a century in six forms
constexpr std::array kMonths = {"january", "february", "march",     "april",   "may",      "june",
                                "july",    "august",   "september", "october", "november", "december"};
constexpr std::array kWeekdays = {"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"};

const char* ending_of(unsigned day) {
  if (day % 100 / 10 == 1) return "th";
  return day % 10 == 1 ? "st" : day % 10 == 2 ? "nd" : day % 10 == 3 ? "rd" : "th";
}

std::string written(sys_days date, std::uint64_t form) {
  const year_month_day parts(date);
  const unsigned day{parts.day()}, month{parts.month()};
  const int of_year{parts.year()};
  const char* name = kMonths[month - 1];
  switch (form) {
    case 0: return fmt::format("{} {} {}", day, name, of_year);
    case 1: return fmt::format("{} {}, {}", name, day, of_year);
    case 2: return fmt::format("{}, {} {} {}", kWeekdays[std::chrono::weekday(date).c_encoding()], day, name, of_year);
    case 3: return fmt::format("the {}{} of {}, {}", day, ending_of(day), name, of_year);
    case 4: return fmt::format("{}.{}.{}", day, month, of_year);
    default: return fmt::format("{:.3} {}, {}", name, day, of_year);
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> generate_dates(std::size_t count, std::uint64_t seed) {
  if (count < 1 || count > kMostDates)
    throw UsageError(fmt::format("dates: expected a count from 1 to {}, got {}", kMostDates, count));
  const sys_days first = sys_days(year(1950) / 1 / 1), end = sys_days(year(2050) / 1 / 1);
  Random random(seed, Stream::generate);
  std::vector<std::pair<std::string, std::string>> dates;
  std::unordered_set<std::string> seen;
  while (dates.size() < count) {
    const sys_days date = first + std::chrono::days(random.below(static_cast<std::uint64_t>((end - first).count())));
    const year_month_day parts(date);
    std::string text = written(date, random.below(6));
    if (!seen.insert(text).second) continue;
    dates.emplace_back(std::move(text), fmt::format("{}-{:02}-{:02}", int{parts.year()}, unsigned{parts.month()},
                                                    unsigned{parts.day()}));
  }
  return dates;
}

void write_dates(const std::string& directory, const std::vector<std::pair<std::string, std::string>>& dates) {
  make_folder(directory);
  write_file_atomically((std::filesystem::path(directory) / "dates.tsv").string(), [&](std::ostream& out) {
    for (const auto& [text, date] : dates) out << fmt::format("{}\t{}\n", text, date);
  });
}

}  // namespace edgewise::app
