#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// @file
/// Reads what Python's pickle module wrote, without ever calling what it names: a class or function is a name, and an
/// object is what it would be made of.
namespace edgewise::app::pickle {

struct Node;
using Value = Node*;  ///< Owned by the pickle.
using Sequence = std::vector<Value>;                ///< A tuple or a list.
using Pairs = std::vector<std::pair<Value, Value>>;  ///< A dict.

/// "module name" of a class or function; or what it was called with, and the state that was given to the result.
struct Object {
  std::string name;
  Value arguments = nullptr;
  Value state = nullptr;
};

struct Node {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Sequence, Pairs, Object> is;
};

struct Pickle {
  std::deque<Node> nodes;  // so that values that are nested deeply, or in themselves, end without recursion
  Value root = nullptr;
};

/// Protocol 2 as far as dicts, lists, tuples, texts, numbers and objects go. Throws DataError that begins with
/// `label` for anything else, and for damaged data.
Pickle read(std::string_view bytes, const std::string& label);

/// The part of that kind. Throws DataError that begins with `label` if the value is of another.
template <class Kind>
const Kind& expect(Value value, const std::string& label);

}  // namespace edgewise::app::pickle
