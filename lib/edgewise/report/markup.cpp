#include "edgewise/report/markup.hpp"

#include "edgewise/core/text.hpp"

namespace edgewise::report {

std::string escape(std::string_view text, std::size_t most) {
  std::string out;
  for (const char c : printable(text, most, "\n")) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  return out;
}

}  // namespace edgewise::report
