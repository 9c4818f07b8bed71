#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace edgewise {

/// A place in a text file. Lines and columns count from 1; 0 means "not known".
struct TextLocation {
  std::string file;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
};

/// "people.csv:12:3", without the parts that are not known.
std::string to_string(const TextLocation& location);

/// Base of all errors that a user of the library can cause. The message is one line that says where, what was expected
/// and what was found. Our own bugs are assertions, not exceptions.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A wrong option, argument or configuration (exit code 2 on the command line).
class UsageError : public Error {
 public:
  using Error::Error;
};

/// A file or table that cannot be used as it is (exit code 3).
class DataError : public Error {
 public:
  using Error::Error;
  DataError(const TextLocation& where, std::string_view what);
};

/// A model file that is damaged, hostile, or does not fit the data (exit code 4).
class ModelError : public Error {
 public:
  using Error::Error;
};

/// Training that produced numbers that are not finite (exit code 5).
class NumericalError : public Error {
 public:
  using Error::Error;
};

}  // namespace edgewise
