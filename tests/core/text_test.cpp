#include "edgewise/core/text.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace edgewise;

TEST_CASE("valid UTF-8 is recognised", "[core][text]") {
  CHECK(find_invalid_utf8("plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80") == std::string_view::npos);
  CHECK(find_invalid_utf8("ab\xff") == 2);
  for (const char* bad :
       {"\xc0\x80", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xe2\x82", "\x80"})
    CHECK(find_invalid_utf8(bad) == 0);
  CHECK(utf8_length("") == 0);
}

TEST_CASE("a count of one has no plural s", "[core][text]") {
  CHECK(counted(0, "run") == "0 runs");
  CHECK(counted(1, "validation item") == "1 validation item");
  CHECK(counted(2, "run") == "2 runs");
  CHECK(counted(1, "node has", "nodes have") == "1 node has");
  CHECK(counted(3, "class", "classes") == "3 classes");
}

TEST_CASE("blanks around words, and other separators, are no part of them", "[core][text]") {
  using Words = std::vector<std::string_view>;
  CHECK(trimmed("\t a b \t") == "a b");
  CHECK(trimmed(" \t ").empty());
  CHECK(trimmed("\ra ", " ") == "\ra");
  CHECK(words_of("  two\twords ") == Words{"two", "words"});
  CHECK(words_of("1,2; 3", ",; ") == Words{"1", "2", "3"});
  CHECK(words_of("").empty());
  CHECK(words_of(" \t").empty());
  CHECK(without_gz("a.csv.gz") == "a.csv");
  CHECK(without_gz("a.gz.csv") == "a.gz.csv");
}

TEST_CASE("control characters are made visible", "[core][text]") {
  CHECK(printable("a\x1b[2Jb\x7f\n") == "a\\x1b[2Jb\\x7f\\x0a");
  CHECK(printable("a\nb", 10, "\n") == "a\nb");
  CHECK(printable("\xc2\x9b|\xc2\xa0|\xff") == "\\xc2\\x9b|\xc2\xa0|\\xff");
  CHECK(printable("\xc3\xa9\xc3\xa9\xc3\xa9", 2) == "\xc3\xa9\xc3\xa9...");
  CHECK(printable("ab", 2) == "ab");
}

TEST_CASE("characters that hide or reorder others are made visible", "[core][text]") {
  CHECK(printable("ab\u202efdp") == "ab\\xe2\\x80\\xaefdp");
  for (const char* invisible :
       {"\u00ad", "\u061c", "\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202e",
        "\u2060", "\u2066", "\u2069", "\u3164", "\ufeff", "\U000e0041"}) {
    CAPTURE(printable(invisible));
    CHECK(invisible_start(invisible));
    CHECK(printable(invisible).starts_with("\\x"));
  }
  for (const char* visible :
       {"a", " ", "\u00a0", "\u2027", "\u202f", "\u205f", "\u2070", "\u05d0", "\u0627", "\U0001f600"}) {
    CHECK(!invisible_start(visible));
    CHECK(printable(visible) == visible);
  }
  CHECK(!invisible_start(""));
  CHECK(!invisible_start("\xff"));
}

TEST_CASE("of many names the first are shown", "[core][text]") {
  const std::vector<std::string> names = {"a", "b", "c"};
  CHECK(first_of({}) == "");
  CHECK(first_of(names) == "a, b, c");
  CHECK(first_of(names, 3) == "a, b, c");
  CHECK(first_of(names, 2) == "a, b and 1 more");
}
