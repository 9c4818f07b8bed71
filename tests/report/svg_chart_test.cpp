#include "edgewise/report/svg_chart.hpp"

#include <boost/property_tree/xml_parser.hpp>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <sstream>

#include "edgewise/report/chart_axis.hpp"
#include "edgewise/report/html_page.hpp"
#include "edgewise/report/markup.hpp"

using namespace edgewise;
using namespace edgewise::report;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

constexpr const char* kHostile = "<script>alert('1')</script> & \"quoted\" \xe2\x80\xae" "desrever";

void check_well_formed(const std::string& text) {
  std::istringstream in(text);
  boost::property_tree::ptree tree;
  CHECK_NOTHROW(boost::property_tree::read_xml(in, tree));
}

Chart line_chart() {
  return {.title = "Loss",
          .description = "falls from 3 to 1",
          .x = {.label = "epoch"},
          .y = {.label = "loss"},
          .series = {{.label = "training", .style = "v0", .points = {{1, 3}, {2, 1}}}}};
}

}  // namespace

TEST_CASE("markup, quotes and marks of direction are escaped", "[report]") {
  CHECK(escape("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
  CHECK(escape("x\xe2\x80\xaey") == "x\\xe2\\x80\\xaey");
  CHECK(escape("a\x01\nb") == "a\\x01\nb");
  CHECK(escape("abcdef", 3) == "abc...");
  CHECK(escape("\xd7\xa9\xd7\x9c") == "\xd7\xa9\xd7\x9c");  // letters that are written from the right stay
}

TEST_CASE("a chart says in words what it shows", "[report]") {
  const std::string svg = draw(line_chart());
  CHECK_THAT(svg, StartsWith("<svg ") && Contains("role=\"img\" aria-label=\"Loss. falls from 3 to 1\""));
  CHECK_THAT(svg, Contains(">epoch</text>") && Contains(">loss</text>") && Contains(">training</text>"));
  check_well_formed(svg);
  const std::string alone = draw_alone(line_chart());
  CHECK_THAT(alone, Contains("<style>") && Contains("prefers-color-scheme: dark"));
  check_well_formed(alone);
}

TEST_CASE("hostile names do no harm in any kind of chart", "[report]") {
  Chart chart = line_chart();
  chart.title = chart.description = chart.x.label = chart.y.label = kHostile;
  chart.series.front().label = kHostile;
  chart.series.front().drawn = GENERATE(Drawn::line, Drawn::points, Drawn::marks, Drawn::dots, Drawn::guide);
  chart.series.front().names = chart.series.front().captions = {kHostile, kHostile};
  chart.series.push_back({.label = "", .style = "v1", .points = {{1, 1}, {2, 2}}});
  chart.marks = {{1.5, kHostile, "guide"}};
  const std::string all = draw(chart) + draw_bars(kHostile, kHostile, {{kHostile, "v0", 1}}, plain_number) +
                          draw_rows(kHostile, kHostile, {{kHostile, {{1, 0.5}}}}, {kHostile}, plain_number);
  CHECK_THAT(all, !Contains("<script") && !Contains("\xe2\x80\xae"));
  check_well_formed("<p>" + all + "</p>");
}

TEST_CASE("what is not finite is left out of a chart", "[report]") {
  Chart chart = line_chart();
  chart.series.front().points = {{1, std::nan("")}, {2, 1}, {std::numeric_limits<double>::infinity(), 2}, {3, 2}};
  CHECK_THAT(draw(chart), !Contains("nan") && !Contains("inf"));
  chart.series.front().points = {{1, std::nan("")}};
  CHECK(draw(chart) == "<p class=\"none\">Loss: nothing was measured</p>\n");
  CHECK_THAT(draw_rows("t", "d", {{"a", {{std::nan("")}}}}, {"s"}, plain_number), Contains("nothing was measured"));
  CHECK_THAT(draw_rows("t", "d", {{"a", {{std::nan("")}}}, {"b", {{1}}}}, {"s"}, plain_number), !Contains("nan"));
}

TEST_CASE("one point, equal points and tiny ranges can be drawn", "[report]") {
  const std::vector<std::pair<double, double>> points = GENERATE(std::vector<std::pair<double, double>>{{5, 7}},
                                                                 std::vector<std::pair<double, double>>{{1, 2}, {1, 2}},
                                                                 std::vector<std::pair<double, double>>{{1, 1e-9},
                                                                                                       {2, 2e-9}},
                                                                 std::vector<std::pair<double, double>>{{1, 1e12},
                                                                                                       {2, 3e12}});
  Chart chart = line_chart();
  chart.series.front().points = points;
  chart.series.front().drawn = Drawn::points;
  for (const Scale scale : {Scale::linear, Scale::logarithmic, Scale::binary}) {
    chart.x.scale = chart.y.scale = scale;
    const std::string svg = draw(chart);
    CHECK_THAT(svg, !Contains("nan") && !Contains("inf") && Contains("<circle"));
    CHECK(svg.size() < 20'000);
  }
}

TEST_CASE("a guide is cut where it leaves the chart, and makes no room for itself", "[report]") {
  Chart chart = line_chart();
  chart.y.low = 0;
  chart.y.high = 4;
  chart.series.push_back({.label = "", .style = "guide", .points = {{1, 0}, {2, 400}}, .drawn = Drawn::guide});
  // 4 of 400 is reached a hundredth of the way along: the height of the chart is from 274 to 34.
  CHECK_THAT(draw(chart), Contains("d=\"M103.4 274.0L106.6 34.0\""));
}

TEST_CASE("series are told apart by shape and dashes", "[report]") {
  CHECK(series_style(0) == "v0");
  CHECK(series_style(kSeriesStyles) == "v0 again");
  std::vector<std::string> swatches;
  for (std::size_t i = 0; i < kSeriesStyles; ++i) {
    std::string swatch = draw_swatch(series_style(i), Drawn::marks);
    for (std::size_t at; (at = swatch.find(series_style(i))) != std::string::npos;) swatch.erase(at, 2);
    CHECK(std::count(swatches.begin(), swatches.end(), swatch) == 0);
    swatches.push_back(swatch);
    if (i > 0) CHECK_THAT(kChartStyle, Contains(".line." + series_style(i) + " { stroke-dasharray"));
  }
}

TEST_CASE("points are thinned evenly, with both ends", "[report]") {
  CHECK(even_places(0, 5).empty());
  CHECK(even_places(1, 5) == std::vector<std::size_t>{0});
  CHECK(even_places(3, 5) == std::vector<std::size_t>{0, 1, 2});
  CHECK(even_places(101, 5) == std::vector<std::size_t>{0, 25, 50, 75, 100});
  CHECK(even_places(100, 1) == std::vector<std::size_t>{0});
}

TEST_CASE("ticks are round numbers within the axis", "[report]") {
  Range range;
  range.include(0.13);
  range.include(0.97);
  range.include(std::nan(""));
  const PlacedAxis axis = place_axis({}, range, 0, 100);
  const std::vector<double> ticks = axis.ticks({});
  REQUIRE(ticks.size() == 5);
  CHECK(ticks.front() == Approx(0.2));
  CHECK(ticks.back() == Approx(1));
  CHECK(axis.place(axis.low) == Approx(0).margin(1e-9));
  CHECK(axis.place(axis.high) == Approx(100));
  CHECK(axis.ticks({0.5, 7}) == std::vector<double>{0.5});
  const PlacedAxis decades = place_axis({.scale = Scale::logarithmic, .low = 1, .high = 1000}, range, 0, 30);
  CHECK(decades.place(10) == Approx(10));
  CHECK(decades.at_level(decades.level(37)) == Approx(37));
}

TEST_CASE("a page is one well-formed document that needs nothing else", "[report]") {
  Table table{.caption = kHostile, .columns = {{kHostile, true}, {"n"}}};
  table.rows.push_back({kHostile, Cell("1", 0.5)});
  table.rows.push_back({Cell("all", 0, 2)});
  const std::string page = to_html(Page{
      .title = kHostile,
      .answer = kHostile,
      .body = heading(kHostile) + paragraph(kHostile) + remark(kHostile) + list({kHostile, "b", "c"}, 2) +
              folded(kHostile, kHostile) + figures({{draw(line_chart()), kHostile}}) + terms({{"a", code(kHostile)}}) +
              to_html(table)});
  CHECK_THAT(page, StartsWith("<!DOCTYPE html>") && !Contains("<script") && !Contains("src=") && !Contains("url("));
  CHECK_THAT(page, Contains("and 1 more") && Contains("colspan=\"2\"") && Contains("scope=\"row\""));
  CHECK_THAT(page, Contains("default-src 'none'") && Contains("lang=\"en\""));
  check_well_formed(page);
  CHECK(list({}).empty());
  CHECK(figures({}).empty());
}
