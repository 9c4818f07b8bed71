#include "edgewise/core/setting.hpp"

#include <utility>

namespace edgewise {
namespace {

std::function<std::string(std::string_view)>& speller() {
  static std::function<std::string(std::string_view)> spell;
  return spell;
}

thread_local std::string (*spell_of_thread)(std::string_view) = nullptr;

}  // namespace

std::string setting(std::string_view path) {
  if (spell_of_thread != nullptr) return spell_of_thread(path);
  return speller() ? speller()(path) : std::string(path);
}

void name_settings(std::function<std::string(std::string_view)> spell) { speller() = std::move(spell); }

OtherNames::OtherNames(std::string (*spell)(std::string_view)) : previous_(std::exchange(spell_of_thread, spell)) {}

OtherNames::~OtherNames() { spell_of_thread = previous_; }

}  // namespace edgewise
