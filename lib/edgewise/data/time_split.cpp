#include "edgewise/data/time_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>

#include "edgewise/core/error.hpp"
#include "edgewise/io/number.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::data {
namespace {

constexpr double kSecondsPerDay = 24 * 60 * 60;

/// Takes whole numbers and signs off the front of a text.
class DateScanner {
 public:
  explicit DateScanner(std::string_view text) : rest_(text) {}

  bool is_done() const { return rest_.empty(); }

  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  /// A number with this many digits.
  std::optional<int> digits(std::size_t count) {
    int value = 0;
    if (rest_.size() < count) return std::nullopt;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + count, value);
    if (error != std::errc() || end != rest_.data() + count || rest_.front() == '-') return std::nullopt;
    rest_.remove_prefix(count);
    return value;
  }

  /// The digits that follow, as a fraction of 1.
  double fraction() {
    double value = 0;
    for (double unit = 0.1; !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; unit /= 10) {
      value += unit * (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }

 private:
  std::string_view rest_;
};

/// "12:30", "12:30:59", "12:30:59.5" in seconds.
std::optional<double> take_time_of_day(DateScanner& scanner) {
  const std::optional<int> hours = scanner.digits(2);
  if (!hours || !scanner.take(':')) return std::nullopt;
  const std::optional<int> minutes = scanner.digits(2);
  double seconds = 0;
  if (!minutes || *hours > 24 || *minutes > 59) return std::nullopt;
  if (scanner.take(':')) {
    const std::optional<int> whole = scanner.digits(2);
    if (!whole || *whole > 60) return std::nullopt;
    seconds = *whole + (scanner.take('.') ? scanner.fraction() : 0);
  }
  return (*hours * 60 + *minutes) * 60 + seconds;
}

/// "Z", "+02:00", "-0530" in seconds; 0 if there is none.
std::optional<double> take_zone(DateScanner& scanner) {
  if (scanner.is_done() || scanner.take('Z')) return 0.0;
  const bool is_east = scanner.take('+');
  if (!is_east && !scanner.take('-')) return std::nullopt;
  const std::optional<int> hours = scanner.digits(2);
  scanner.take(':');
  const std::optional<int> minutes = scanner.is_done() ? std::optional(0) : scanner.digits(2);
  if (!hours || !minutes) return std::nullopt;
  return (is_east ? 60 : -60) * (*hours * 60 + *minutes);
}

bool is_date(const std::string& text) { return parse_date(text).has_value(); }

std::optional<double> parse_number(const std::string& text) {
  double number = 0;
  if (io::parse_number(text, number) != io::NumberFault::none) return std::nullopt;
  return number;
}

/// Of the groups from `begin` to `end` that up to which there are closest to `wanted` items.
std::size_t closest(std::span<const std::size_t> items_up_to, double wanted, std::size_t begin, std::size_t end) {
  std::size_t best = begin;
  for (std::size_t g = begin; g <= end; ++g)
    if (std::abs(static_cast<double>(items_up_to[g]) - wanted) <
        std::abs(static_cast<double>(items_up_to[best]) - wanted))
      best = g;
  return best;
}

}  // namespace

std::optional<double> parse_date(std::string_view text) {
  using namespace std::chrono;
  DateScanner scanner(text);
  const std::optional<int> year_number = scanner.digits(4);
  if (!year_number) return std::nullopt;
  unsigned month_number = 1, day_number = 1;
  const char separator = text.size() > 4 ? text[4] : '-';
  if (separator != '-' && separator != '/') return std::nullopt;
  if (scanner.take(separator)) {
    const std::optional<int> month = scanner.digits(2);
    if (!month) return std::nullopt;
    month_number = static_cast<unsigned>(*month);
    if (scanner.take(separator)) {
      const std::optional<int> day = scanner.digits(2);
      if (!day) return std::nullopt;
      day_number = static_cast<unsigned>(*day);
    }
  }
  const year_month_day date = year{*year_number} / month{month_number} / day{day_number};
  if (!date.ok()) return std::nullopt;
  const auto days = static_cast<double>(sys_days(date).time_since_epoch().count());
  if (scanner.is_done()) return days;
  if (!scanner.take('T') && !scanner.take(' ')) return std::nullopt;
  const std::optional<double> time = take_time_of_day(scanner);
  const std::optional<double> zone = time ? take_zone(scanner) : std::nullopt;
  if (!zone || !scanner.is_done()) return std::nullopt;
  return (days * kSecondsPerDay + *time - *zone) / kSecondsPerDay;  // whole seconds are exact, so equal times are equal
}

std::vector<double> read_times(const io::NodeTable& table, std::string_view name) {
  const io::Column& column = table.at(name);
  const auto dates = std::ranges::count_if(column.categories, [](const std::string& text) { return is_date(text); });
  const bool are_dates = !column.is_numeric && 2 * dates >= std::ssize(column.categories);
  std::vector<double> times(table.rows(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t row = 0; row < times.size(); ++row) {
    if (column.is_missing(row)) continue;
    const std::string text = column.text(row);
    const std::optional<double> time = are_dates ? parse_date(text) : parse_number(text);
    if (!time)
      throw DataError(table.where(row), fmt::format("column \"{}\": expected a number, or a date such as 2024-03-31, "
                                                    "got {}",
                                                    name, io::quote(text)));
    times[row] = *time;
  }
  return times;
}

Split time_split(const Labels& labels, std::span<const double> times, const SplitShares& shares) {
  std::vector<graph::Node> items = labelled_nodes(labels);
  std::erase_if(items, [&](graph::Node item) { return std::isnan(times[item]); });
  std::ranges::stable_sort(items, {}, [&](graph::Node item) { return times[item]; });
  std::vector<std::size_t> items_up_to;  // of each different time, those that are not later
  for (std::size_t i = 0; i < items.size(); ++i)
    if (i + 1 == items.size() || times[items[i]] != times[items[i + 1]]) items_up_to.push_back(i + 1);
  const std::size_t after_train = (shares.validation > 0 ? 1 : 0) + (shares.test > 0 ? 1 : 0);
  if (items_up_to.size() < after_train + 1)
    throw DataError(fmt::format("split: expected {} different times or more, one for each part, got {}",
                                after_train + 1, items_up_to.size()));
  const auto count = static_cast<double>(items.size());
  const std::size_t last = items_up_to.size() - 1;
  const std::size_t train = closest(items_up_to, shares.train * count, 0, last - after_train);
  const std::size_t validation = shares.validation > 0
                                     ? closest(items_up_to, (shares.train + shares.validation) * count, train + 1,
                                               last - (shares.test > 0 ? 1 : 0))
                                     : train;
  Split split(times.size(), Role::none);
  for (std::size_t i = 0; i < items.size(); ++i)
    split[items[i]] = i < items_up_to[train]        ? Role::train
                      : i < items_up_to[validation] ? Role::validation
                                                    : Role::test;
  return split;
}

}  // namespace edgewise::data
