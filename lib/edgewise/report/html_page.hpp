#pragma once

#include <string>
#include <utility>
#include <vector>

/// @file
/// Pages of HTML that need nothing but themselves: the style is inside, charts are SVG, and there is no script. They
/// are also well-formed XML. Plain texts are escaped here, once; what is called HTML is not.
namespace edgewise::report {

struct Page {
  std::string title;
  std::string answer;        ///< What the page comes to, in a sentence; plain text.
  std::string body;          ///< HTML.
  std::string style = "";    ///< Rules in addition to those of all pages.
};

std::string to_html(const Page& page);

std::string heading(const std::string& text);
std::string paragraph(const std::string& text);
/// A remark in small print.
std::string remark(const std::string& text);
/// A list of lines; "" if there are none. What comes after `most` is only counted.
std::string list(const std::vector<std::string>& lines, std::size_t most = 100);
/// Text in a fixed font, under a line that opens and closes it.
std::string folded(const std::string& summary, const std::string& text);

/// A chart with the sentence below it.
struct Figure {
  std::string svg;
  std::string caption;
  bool is_wide = false;  ///< As wide as the page.
};
/// Charts side by side, as many as fit; "" if there are none.
std::string figures(const std::vector<Figure>& charts);

/// Terms and what they are, as HTML.
std::string terms(const std::vector<std::pair<std::string, std::string>>& entries);
std::string code(const std::string& text);

struct Column {
  std::string name;
  bool is_text = false;  ///< Aligned to the left.
};

struct Cell {
  Cell(std::string text, double shade = 0, std::size_t columns = 1)
      : text(std::move(text)), shade(shade), columns(columns) {}
  Cell(const char* text) : Cell(std::string(text)) {}

  std::string text;
  double shade;         ///< How dark its ground is, from 0 to 1.
  std::size_t columns;  ///< How many it spans.
};

/// The first cell of each row names it.
struct Table {
  std::string caption = {};
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows = {};
};
std::string to_html(const Table& table);

}  // namespace edgewise::report
