#include "edgewise/core/setting.hpp"

#include <utility>

namespace edgewise {
namespace {

std::function<std::string(std::string_view)>& speller() {
  static std::function<std::string(std::string_view)> spell;
  return spell;
}

}  // namespace

std::string setting(std::string_view path) { return speller() ? speller()(path) : std::string(path); }

void name_settings(std::function<std::string(std::string_view)> spell) { speller() = std::move(spell); }

}  // namespace edgewise
