#pragma once

#include <functional>
#include <string>
#include <string_view>

/// @file
/// How messages name settings. The library knows them as members of a configuration; a program whose user types flags
/// or passes arguments names them as that user does.
namespace edgewise {

/// The name of a setting in a message. `path` is that of a member of a configuration, such as "data.label", or the name
/// of an option that is not part of one, such as "part".
std::string setting(std::string_view path);

/// Names settings by `spell` from now on; without it, by their paths. To be called once, before there are threads.
void name_settings(std::function<std::string(std::string_view path)> spell);

/// While it exists, the messages of this thread name settings in another way.
class OtherNames {
 public:
  explicit OtherNames(std::string (*spell)(std::string_view path));
  OtherNames(const OtherNames&) = delete;
  OtherNames& operator=(const OtherNames&) = delete;
  ~OtherNames();

 private:
  std::string (*previous_)(std::string_view path);
};

}  // namespace edgewise
