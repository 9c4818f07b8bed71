#include "get/pickle.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <map>

#include "edgewise/core/error.hpp"

namespace edgewise::app::pickle {
namespace {

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& label) : bytes_(bytes), label_(label) {}

  Pickle read() {
    while (true) {
      const char code = take(1)[0];
      if (code == '.') break;
      step(code);
    }
    made_.root = pop();
    return std::move(made_);
  }

 private:
  [[noreturn]] void refuse(std::string_view problem) const {
    throw DataError(fmt::format("{}: {} at byte {} of a pickle", label_, problem, place_));
  }

  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size() - place_) refuse("the data ends");
    const std::string_view part = bytes_.substr(place_, count);
    place_ += count;
    return part;
  }

  /// A little-endian integer of so many bytes.
  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    const std::string_view part = take(bytes);
    for (std::size_t i = bytes; i-- > 0;) value = value << 8U | static_cast<unsigned char>(part[i]);
    return value;
  }

  std::string_view line() {
    const std::size_t end = bytes_.find('\n', place_);
    if (end == std::string_view::npos) refuse("the data ends");
    const std::string_view text = take(end - place_);
    take(1);
    return text;
  }

  template <class Kind>
  Value make(Kind kind) {
    return &made_.nodes.emplace_back(Node{std::move(kind)});
  }

  template <class Kind>
  void push(Kind kind) {
    stack_.push_back(make(std::move(kind)));
  }

  Value pop() {
    if (stack_.empty() || (!marks_.empty() && marks_.back() == stack_.size())) refuse("the stack is empty");
    const Value value = stack_.back();
    stack_.pop_back();
    return value;
  }

  Node& top() {
    if (stack_.empty()) refuse("the stack is empty");
    return *stack_.back();
  }

  Sequence pop_to_mark() {
    if (marks_.empty()) refuse("there is no mark");
    Sequence values(stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()), stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return values;
  }

  Sequence pop_several(std::size_t count) {
    Sequence values(count);
    for (std::size_t i = count; i-- > 0;) values[i] = pop();
    return values;
  }

  void append(const Sequence& values) {
    auto* list = std::get_if<Sequence>(&top().is);
    if (list == nullptr) refuse("expected a list");
    list->insert(list->end(), values.begin(), values.end());
  }

  /// A subclass of dict has its entries as its state.
  void set_items(const Sequence& values) {
    if (values.size() % 2 != 0) refuse("expected keys and values");
    Node& of = top();
    auto* object = std::get_if<Object>(&of.is);
    if (object != nullptr && object->state == nullptr) object->state = make(Pairs{});
    auto* pairs = std::get_if<Pairs>(object != nullptr ? &object->state->is : &of.is);
    if (pairs == nullptr) refuse("expected a dict");
    for (std::size_t i = 0; i < values.size(); i += 2) pairs->emplace_back(values[i], values[i + 1]);
  }

  void call() {
    const Value arguments = pop();
    const Value callee = pop();
    const auto* name = std::get_if<Object>(&callee->is);
    if (name == nullptr) refuse("expected a name to call");
    push(Object{name->name, arguments, nullptr});
  }

  void set_state() {
    const Value state = pop();
    auto* object = std::get_if<Object>(&top().is);
    if (object == nullptr) refuse("expected an object");
    object->state = state;
  }

  void remember(std::uint64_t place) { memo_[place] = &top(); }

  void recall(std::uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) refuse("nothing was remembered");
    stack_.push_back(found->second);
  }

  void step(char code) {
    switch (code) {
      case '\x80': take(1); break;  // the protocol
      case 'N': push(std::monostate{}); break;
      case '\x88': push(true); break;
      case '\x89': push(false); break;
      case 'K': push(static_cast<std::int64_t>(number(1))); break;
      case 'M': push(static_cast<std::int64_t>(number(2))); break;
      case 'J': push(static_cast<std::int64_t>(static_cast<std::int32_t>(number(4)))); break;
      case '\x8a': push_long(number(1)); break;
      case 'G': push(big_endian_double()); break;
      case 'U': push(std::string(take(number(1)))); break;
      case 'T':
      case 'X': push(std::string(take(number(4)))); break;
      case ']': push(Sequence{}); break;
      case ')': push(Sequence{}); break;
      case '}': push(Pairs{}); break;
      case '(': marks_.push_back(stack_.size()); break;
      case 't':
      case 'l': push(pop_to_mark()); break;
      case '\x85': push(pop_several(1)); break;
      case '\x86': push(pop_several(2)); break;
      case '\x87': push(pop_several(3)); break;
      case 'a': {
        const Value value = pop();
        append({value});
        break;
      }
      case 'e': append(pop_to_mark()); break;
      case 's': set_items(pop_several(2)); break;
      case 'u': set_items(pop_to_mark()); break;
      case 'c': {
        std::string name(line());
        push(Object{name + " " + std::string(line()), nullptr, nullptr});
        break;
      }
      case 'R':
      case '\x81': call(); break;
      case 'b': set_state(); break;
      case 'q': remember(number(1)); break;
      case 'r': remember(number(4)); break;
      case 'h': recall(number(1)); break;
      case 'j': recall(number(4)); break;
      default: refuse(fmt::format("unknown operation {:#04x}", static_cast<unsigned char>(code)));
    }
  }

  void push_long(std::uint64_t bytes) {
    if (bytes > 8) refuse("expected an integer of 64 bits");
    const std::uint64_t value = number(bytes);
    const unsigned unused = 64 - 8 * static_cast<unsigned>(bytes);
    push(bytes == 0 ? std::int64_t{0} : static_cast<std::int64_t>(value << unused) >> unused);
  }

  double big_endian_double() {
    std::uint64_t bits = 0;
    for (const char byte : take(8)) bits = bits << 8U | static_cast<unsigned char>(byte);
    return std::bit_cast<double>(bits);
  }

  std::string_view bytes_;
  const std::string& label_;
  Pickle made_;
  std::size_t place_ = 0;
  Sequence stack_;
  std::vector<std::size_t> marks_;
  std::map<std::uint64_t, Value> memo_;
};

}  // namespace

Pickle read(std::string_view bytes, const std::string& label) { return Reader(bytes, label).read(); }

template <class Kind>
const Kind& expect(Value value, const std::string& label) {
  const Kind* found = value != nullptr ? std::get_if<Kind>(&value->is) : nullptr;
  if (found == nullptr) throw DataError(fmt::format("{}: a value of the pickle is of another kind than expected", label));
  return *found;
}

template const std::int64_t& expect(Value, const std::string&);
template const std::string& expect(Value, const std::string&);
template const Sequence& expect(Value, const std::string&);
template const Pairs& expect(Value, const std::string&);
template const Object& expect(Value, const std::string&);

}  // namespace edgewise::app::pickle
