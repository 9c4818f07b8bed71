#include "edgewise/io/edge_list.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "io/files.hpp"
#include "io/graphs.hpp"
#include "support/dataset.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using io::read_edge_list;
using test::Files;

namespace {

std::string edges_of(const io::EdgeListResult& result) { return test::edges_of(result.names, result.edges); }

}  // namespace

TEST_CASE("edge list with usual column names", "[io][edge_list]") {
  const Files files;
  for (const char* header : {"source,target", "SRC,Dst", "from,to", "id_1,id_2", "id1,id2", "node_1,node_2"}) {
    const auto result = read_edge_list(files.write("a.csv", std::string(header) + "\nada,bob\nbob,cid\n"));
    CHECK(edges_of(result) == "ada>bob bob>cid");
    CHECK(result.report.has_header);
    CHECK(result.names.size() == 3);
    CHECK(result.edges.weights.empty());
  }
  const auto swapped = read_edge_list(files.write("b.csv", "note,target,weight,source\nhi,bob,0.5,ada\n"));
  CHECK(edges_of(swapped) == "ada>bob");
  CHECK(swapped.edges.weights == std::vector<float>{0.5f});
  CHECK(swapped.report.weight_column == "weight");
  CHECK(swapped.report.unused_columns == std::vector<std::string>{"note"});
}

TEST_CASE("edge list detects a header", "[io][edge_list]") {
  const Files files;
  const auto plain = read_edge_list(files.write("a.txt", "# FromNodeId ToNodeId\n10 20\n20\t30\r\n"));
  CHECK(edges_of(plain) == "10>20 20>30");
  CHECK(plain.report.has_header);
  CHECK(plain.report.delimiter == io::Delimiter::whitespace);
  CHECK(edges_of(read_edge_list(files.write("b.csv", "ada,bob\nbob,cid\n"))) == "ada>bob bob>cid");
  CHECK(edges_of(read_edge_list(files.write("c.csv", "follower,followee\n1,2\n"))) == "1>2");
  CHECK(edges_of(read_edge_list(files.write("d.csv", "ada,bob\nbob,7\n"))) == "ada>bob bob>7");
  CHECK(edges_of(read_edge_list(files.write("e.csv", "ada,bob"))) == "ada>bob");
  CHECK(read_edge_list(files.write("h.csv", "source,target\n")).edges.size() == 0);
  CHECK(read_edge_list(files.write("j.csv", "user_id,item_id\n")).edges.size() == 0);
  CHECK(read_edge_list(files.write("k.csv", "shop,town\n"), {.source_kind = "towns", .target_kind = "shops"})
            .edges.size() == 0);
  const auto weighted = read_edge_list(files.write("i.csv", "user,friend,weight\nada,bob,2\n"));  // number after ends
  CHECK(edges_of(weighted) == "ada>bob");
  CHECK(weighted.edges.weights == std::vector<float>{2});
}

TEST_CASE("edge list takes the preferred columns, and does not take a weight for an end", "[io][edge_list]") {
  const Files files;
  const std::string path = files.write("a.csv", "weight,u,v,source,target\n3,ada,bob,x,y\n");
  CHECK(edges_of(read_edge_list(path)) == "x>y");
  CHECK(edges_of(read_edge_list(path, {.preferred_source = "u", .preferred_target = "v"})) == "ada>bob");
  CHECK(edges_of(read_edge_list(path, {.preferred_source = "u", .preferred_target = "w"})) == "x>y");
  const std::string unusual = files.write("b.csv", "weight,u,v,n\n3,ada,bob,7\n");
  const io::EdgeListResult read = read_edge_list(unusual);
  CHECK(edges_of(read) == "ada>bob");
  CHECK(read.edges.weights == std::vector<float>{3});
  CHECK(edges_of(read_edge_list(files.write("c.csv", "u,value,v\n1,5,2\n"))) == "1>2");
  CHECK(edges_of(read_edge_list(files.write("d.csv", "ada,bob\nbob,cid\n"),
                                {.preferred_source = "ada", .preferred_target = "bob"})) == "bob>cid");
}

TEST_CASE("edge list counts rows taken for comments", "[io][edge_list]") {
  const Files files;
  const auto counted = [&](std::string_view text, const graph::NodeNames* known = nullptr) {
    const auto read = read_edge_list(files.write("a", text), {.known_nodes = known});
    return fmt::format("{} ({}, {})", edges_of(read), read.report.commented_rows.count,
                       read.report.commented_rows.first_line);
  };
  CHECK(counted("# made by hand\nsource,target\n#t,bob\nann,#t\n%x,y\n") == "#t>bob ann>#t %x>y (0, 0)");
  CHECK(counted("made_by,made_for,year\n#t,bob,2000\nann,#t,2001\n") == "#t>bob ann>#t (0, 0)");
  CHECK(counted("# only\n# here\n1 2\n") == "1>2 (0, 0)");
  CHECK(counted("ann,bob\n#t,bob\nann,#t\n# in between\n%x,y\n") == "ann>bob ann>#t (3, 2)");
  CHECK(counted("#t,bob\nann,#t\n") == "ann>#t (1, 1)");
  graph::NodeNames nodes;
  for (const char* name : {"ann", "bob", "#t"}) nodes.add(name);
  CHECK(counted("ann,bob\n#t,bob\n#x,bob\n", &nodes) == "ann>bob #t>bob (1, 3)");
}

TEST_CASE("edge list takes a commented header", "[io][edge_list]") {
  const Files files;
  const auto names_of = [&](std::string_view text, const io::EdgeListOptions& options = {}) {
    const auto read = read_edge_list(files.write("a", text), options);
    return fmt::format("{},{},{}: {}", read.report.source_column, read.report.target_column, read.report.weight_column,
                       edges_of(read));
  };
  CHECK(names_of("#node1\tnode2\tcombined_score\nA\tB\t900\n#C\tD\t1\n") == "node1,node2,: A>B");
  CHECK(names_of("# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n0\t1\n") == "FromNodeId,ToNodeId,: 0>1");
  CHECK(names_of("# source target weight\na b 2\n") == "source,target,weight: a>b");
  CHECK(names_of("# my graph\n1 2\n") == "column 1,column 2,: 1>2");
  CHECK(names_of("# my,graph\nsource,target\n1,2\n") == "source,target,: 1>2");
  CHECK(names_of("#x7,y9\nann,bob\n") == "column 1,column 2,: ann>bob");
  CHECK(names_of("#a,b\nann,bob\n", {.source_column = "b", .target_column = "a"}) == "b,a,: bob>ann");
}

TEST_CASE("edge list columns can be chosen", "[io][edge_list]") {
  const Files files;
  const std::string path = files.write("a.csv", "day,who,whom,calls,minutes\n1,ada,bob,3,4.5\n2,bob,cid,1,0\n");
  const auto by_name = read_edge_list(path, {.source_column = "whom",
                                             .target_column = "who",
                                             .weight_column = "calls",
                                             .feature_columns = {"minutes", "day"}});
  CHECK(edges_of(by_name) == "bob>ada cid>bob");
  CHECK(by_name.edges.weights == std::vector<float>{3, 1});
  REQUIRE(by_name.edges.features.rows() == 2);
  CHECK(by_name.edges.features(0, 0) == 4.5f);
  CHECK(by_name.edges.features(1, 1) == 2.0f);
  CHECK(by_name.edges.feature_names == std::vector<std::string>{"minutes", "day"});
  CHECK(by_name.report.unused_columns.empty());

  const auto by_position = read_edge_list(files.write("b", "x 1 2 0.5\ny 2 3 0.25\n"),
                                          {.source_column = "2", .target_column = "3", .weight_column = "4"});
  CHECK(edges_of(by_position) == "1>2 2>3");
  CHECK(by_position.edges.weights == std::vector<float>{0.5f, 0.25f});

  const std::string weighted = files.write("c.csv", "source,target,value\na,b,2\n");
  CHECK(read_edge_list(weighted).edges.weights == std::vector<float>{2});
  CHECK(read_edge_list(weighted, {.ignore_weights = true}).edges.weights.empty());
  const auto as_feature = read_edge_list(weighted, {.feature_columns = {"value"}});
  CHECK(as_feature.edges.weights.empty());
  CHECK(as_feature.edges.features(0, 0) == 2.0f);

  CHECK_THROWS_WITH(read_edge_list(path, {.source_column = "who", .target_column = "whon"}),
                    Contains("a.csv: no column \"whon\"; the columns are \"day\", \"who\""));
  CHECK_THROWS_AS(read_edge_list(path, {.source_column = "who"}), UsageError);
  CHECK_THROWS_AS(read_edge_list(path, {.source_column = "who", .target_column = "who"}), UsageError);
}

TEST_CASE("edge list knows categories in other spellings, and refuses a column of others", "[io][edge_list]") {
  const Files files;
  const auto read = [&](std::string_view rows, const io::Categories& categories) {
    const io::EdgeListOptions options{.feature_columns = {"kind"}, .categories = categories};
    return read_edge_list(files.write("e.csv", "source,target,kind\n" + std::string(rows)), options);
  };
  Matrix expected(3, 2);
  expected << 0, 1, 1, 0, 0, 1;
  CHECK(read("a,b,TRUE\nb,c,0\nc,d,true\n", {{"kind", {"False", "True"}}}).edges.features == expected);
  CHECK(read("a,b,20.0\nb,c,1e1\nc,d,20\n", {{"kind", {"10", "20"}}}).edges.features == expected);
  CHECK(read("a,b,x\nb,c,p\n", {{"kind", {"p", "q"}}}).report.features.unknown_categories == 1);
  CHECK_THROWS_WITH(read("a,b,x\nb,c,y\n", {{"kind", {"p", "q"}}}),
                    Contains("e.csv: column \"kind\": none of its values was seen in training: found \"x\", \"y\""));
}

TEST_CASE("edge list keeps names as written", "[io][edge_list]") {
  const Files files;
  const auto result = read_edge_list(
      files.write("a.csv", "source,target\n7,07\n007,999999999\n1000000000,7\n\"Doe, J\",中国\n0,0\n-1,1.0\n7,07\n"));
  CHECK(edges_of(result) == "7>07 007>999999999 1000000000>7 Doe, J>中国 0>0 -1>1.0 7>07");
  CHECK(result.names.size() == 10);
}

TEST_CASE("edge list finds many integers like a hash table", "[io][edge_list]") {
  const Files files;
  std::string text = "source,target\n";
  std::vector<std::uint64_t> expected;
  std::uint64_t state = 1;
  for (int i = 0; i < 40000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t id = (state >> 33) % (i % 3 == 0 ? 1'000'000'000'000u : 5'000u);
    expected.push_back(id);
    text += std::to_string(id) + (i % 2 == 0 ? "," : "\n");
  }
  const auto result = read_edge_list(files.write_gzip("a.csv.gz", text));
  REQUIRE(result.edges.size() == 20000);
  for (std::size_t e = 0; e < result.edges.size(); ++e) {
    REQUIRE(result.names[result.edges.sources[e]] == std::to_string(expected[2 * e]));
    REQUIRE(result.names[result.edges.targets[e]] == std::to_string(expected[2 * e + 1]));
  }
}

TEST_CASE("edge list checks endpoints against known nodes", "[io][edge_list]") {
  const Files files;
  graph::NodeNames known;
  for (const char* name : {"cid", "bob", "ada", "12"}) known.add(name);
  const auto result = read_edge_list(files.write("a.csv", "source,target\nada,bob\n12,cid\n"), {.known_nodes = &known});
  CHECK(result.names.size() == 4);
  CHECK(result.edges.sources == std::vector<graph::Node>{2, 3});
  CHECK_THROWS_WITH(
      read_edge_list(files.write("b.csv", "source,target\nada,bob\nada,eve\n"), {.known_nodes = &known}),
      Contains("b.csv:3: column \"target\": unknown node \"eve\": it is not among the 4 nodes"));
  for (const char* number : {"012", "12.0"})
    CHECK_THROWS_WITH(read_edge_list(files.write("n.csv", fmt::format("source,target\nada,{}\n", number)),
                                     {.known_nodes = &known}),
                      Contains("n.csv:2") && EndsWith("; there is a node \"12\""));
  CHECK_THROWS_WITH(read_edge_list(files.write("c.csv", "12,13\n"), {.known_nodes = &known}), Contains("c.csv:1"));
  CHECK_THROWS_WITH(read_edge_list(files.write("d.csv", "whose,whom\nada,bob\n"), {.known_nodes = &known}),
                    Contains("d.csv:1") && Contains("if this line names the columns, say between which the edges run"));
  CHECK_THROWS_WITH(read_edge_list(files.write("e.csv", "ada,bob\nada,eve\n"), {.known_nodes = &known}),
                    Contains("e.csv:2") && !Contains("names the columns"));
}

TEST_CASE("edge list reports the position of hostile input", "[io][edge_list]") {
  const Files files;
  const auto read = [&](std::string_view text) { return read_edge_list(files.write("bad.csv", text)); };
  CHECK_THROWS_WITH(read(""), Contains("bad.csv: holds no rows"));
  CHECK_THROWS_WITH(read("# nothing\n"), Contains("holds no rows"));
  CHECK_THROWS_WITH(read("source\n1\n"), Contains("bad.csv:1: expected at least 2 columns"));
  CHECK_THROWS_WITH(read("source,target\n1,2\n3,\n"), Contains("bad.csv:3: column \"target\": expected a node"));
  CHECK_THROWS_WITH(read("source,target\n1,2\n3\n"), Contains("bad.csv:3: expected 2 fields"));
  CHECK_THROWS_WITH(read("source,target,source\n1,2,3\n"), Contains("bad.csv:1: columns 1 and 3"));
  for (const char* weight : {"heavy", "", "nan", "inf", "1e99", "0x1"})
    CHECK_THROWS_WITH(read(std::string("source,target,weight\n1,2,1\n1,3,") + weight + "\n"),
                      Contains("bad.csv:3: column \"weight\": expected a number"));
  CHECK_THROWS_WITH(read("source,target\n1,2\n3,\xff\n"), Contains("bad.csv:3:3: line 3 is not UTF-8"));
  CHECK_THROWS_AS(read_edge_list(files.path("missing")), DataError);
  CHECK_THROWS_AS(read_edge_list(files.path("")), DataError);
}

TEST_CASE("edge lists of the public data sets have their counts", "[io][edge_list][data]") {
  const struct {
    const char* folder;
    const char* file;
    std::size_t edges;
    std::size_t self_loops;
  } sets[] = {{"cora", "edges.csv", 5278, 0},
              {"citeseer", "edges.csv", 4552, 0},
              {"pubmed", "edges.csv", 44324, 0},
              {"hetero-minesweeper", "edges.csv.gz", 39402, 0},
              {"hetero-tolokers", "edges.csv.gz", 519000, 0},
              {"hetero-chameleon_filtered", "edges.csv.gz", 8854, 0},
              {"hetero-squirrel_filtered", "edges.csv.gz", 46998, 0},
              {"musae-facebook", "facebook_edges.csv.gz", 171002, 179},
              {"musae-github", "git_edges.csv.gz", 289003, 0},
              {"twitch/DE", "DE_edges.csv.gz", 153138, 0},
              {"twitch/ENGB", "ENGB_edges.csv.gz", 35324, 0},
              {"twitch/ES", "ES_edges.csv.gz", 59382, 0},
              {"twitch/FR", "FR_edges.csv.gz", 112666, 0},
              {"twitch/PTBR", "PTBR_edges.csv.gz", 31299, 0},
              {"twitch/RU", "RU_edges.csv.gz", 37304, 0},
              {"twitch/ZHTW", "ZHTW_edges.csv.gz", 63462, 0},
              {"wikipedia-chameleon", "chameleon_edges.csv.gz", 36101, 50},
              {"wikipedia-squirrel", "squirrel_edges.csv.gz", 217073, 140}};
  for (const auto& set : sets) {
    const auto folder = test::dataset(set.folder);
    if (!folder) continue;
    CAPTURE(set.folder);
    const auto result = read_edge_list(*folder + "/" + set.file);
    CHECK(result.report.has_header);
    CHECK(result.edges.size() == set.edges);
    std::size_t self_loops = 0;
    for (std::size_t e = 0; e < result.edges.size(); ++e)
      self_loops += result.edges.sources[e] == result.edges.targets[e];
    CHECK(self_loops == set.self_loops);
  }
}

TEST_CASE("edge list features are numbers or categories", "[io][edge_list]") {
  const Files files;
  const std::string path = files.write("a.csv",
                                       "from,to,kind,years,code\nada,bob,rival,1.5,7\nbob,cid,friend,2,3\n"
                                       "cid,ada,,0,7\nada,cid,\"friend, old\",1,9\n");
  const auto result =
      read_edge_list(path, {.feature_columns = {"years", "kind", "code"}, .categorical = {"code"}});
  CHECK(result.edges.feature_names == std::vector<std::string>{"years", "kind = friend", "kind = friend, old",
                                                               "kind = rival", "code = 3", "code = 7", "code = 9"});
  Matrix expected(4, 7);
  expected << 1.5F, 0, 0, 1, 0, 1, 0,  //
      2, 1, 0, 0, 1, 0, 0,             //
      0, 0, 0, 0, 0, 1, 0,             //
      1, 0, 1, 0, 0, 0, 1;
  CHECK(result.edges.features == expected);
  CHECK(result.report.features.categories ==
        io::Categories{{"kind", {"friend", "friend, old", "rival"}}, {"code", {"3", "7", "9"}}});
  CHECK(result.report.features.unknown_categories == 0);
  CHECK(result.report.features.numbers == std::vector<Eigen::Index>{0});

  // Categories of a model: in its order, and none for unknown ones.
  const auto known =
      read_edge_list(path, {.feature_columns = {"kind"}, .categories = {{"kind", {"rival", "enemy", "friend"}}}});
  CHECK(known.edges.feature_names == std::vector<std::string>{"kind = rival", "kind = enemy", "kind = friend"});
  Matrix some(4, 3);
  some << 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0;
  CHECK(known.edges.features == some);
  CHECK(known.report.features.unknown_categories == 1);

  CHECK_THROWS_WITH(read_edge_list(files.write("b.csv", "source,target,kind\na,b,1\nb,a,friend\n"),
                                   {.feature_columns = {"kind"}}),
                    Contains("b.csv:3: column \"kind\": expected a number, got \"friend\""));
  const auto check_missing = [&](const std::string& rows, const std::string& line, const std::string& found) {
    CHECK_THROWS_WITH(
        read_edge_list(files.write("m.csv", "source,target,years\n" + rows), {.feature_columns = {"years"}}),
        Contains("m.csv:" + line + ": column \"years\": expected a number, " + found));
  };
  check_missing("a,b,1\nb,c,\nc,d,2\n", "3", "found nothing");
  check_missing("a,b,1\nb,c,NA\n", "3", "got \"NA\"");
  check_missing("a,b,\nb,c,?\nc,d,2\n", "2", "found nothing");
  check_missing("a,b,NA\nb,c,\nc,d,2\n", "2", "got \"NA\"");
  const auto late = read_edge_list(files.write("l.csv", "source,target,kind\na,b,\nb,c,NA\nc,d,x\nd,a,1\n"),
                                   {.feature_columns = {"kind"}});
  CHECK(late.edges.feature_names == std::vector<std::string>{"kind = 1", "kind = x"});
  CHECK(read_edge_list(files.write("c.csv", "source,target,kind\n"), {.feature_columns = {"kind"}}).edges.size() == 0);
  std::string many = "source,target,name\n";
  for (int i = 0; i <= 1000; ++i) many += "a,b,n" + std::to_string(i) + "\n";
  CHECK_THROWS_WITH(read_edge_list(files.write("d.csv", many), {.feature_columns = {"name"}}),
                    Contains("d.csv:1002: column \"name\": \"n1000\" is one more than 1000 different texts"));
}

TEST_CASE("relationships of neo4j are edges", "[io][edge_list]") {
  const Files files;
  const std::string path =
      files.write("a.csv", ":START_ID(P),since:int,:END_ID(P),:TYPE\np0,2000,p1,KNOWS\np1,2001,p2,LIKES\n");
  const auto read = read_edge_list(path, {.feature_columns = {"since"}});
  CHECK(test::edges_of(read.names, read.edges) == "p0>p1 p1>p2");
  CHECK(read.report.source_column == ":START_ID");
  CHECK(read.report.unused_columns == std::vector<std::string>{":TYPE"});
  CHECK(read.edges.features(1, 0) == 2001);
}

TEST_CASE("edges can be handed over as they are read", "[io][edge_list]") {
  const Files files;
  std::string text = "source,target,weight\n";
  constexpr std::size_t kEdges = 70'000;  // more than one piece
  for (std::size_t e = 0; e < kEdges; ++e) text += fmt::format("n{},m{},{}\n", e % 300, e % 7, e % 10);
  const std::string path = files.write("long.csv", text);
  const io::EdgeListResult whole = read_edge_list(path);
  graph::EdgeList taken;
  std::size_t pieces = 0;
  const auto take = [&](const graph::EdgeList& piece) {
    ++pieces;
    taken.sources.insert(taken.sources.end(), piece.sources.begin(), piece.sources.end());
    taken.targets.insert(taken.targets.end(), piece.targets.begin(), piece.targets.end());
    taken.weights.insert(taken.weights.end(), piece.weights.begin(), piece.weights.end());
  };
  const io::EdgeListResult passed = read_edge_list(path, {.take = take});
  CHECK(pieces == 2);
  CHECK(passed.edges.size() == 0);
  CHECK(passed.report.rows == kEdges);
  CHECK(passed.names.size() == whole.names.size());
  CHECK(taken.sources == whole.edges.sources);
  CHECK(taken.targets == whole.edges.targets);
  CHECK(taken.weights == whole.edges.weights);
}

TEST_CASE("edges of several files", "[io][edge_list]") {
  const Files files;
  const std::string a = files.write("a.csv", "source,target,weight,kind\nada,bob,1,x\nbob,cid,2,y\n");
  const std::string b = files.write("b.csv", "kind,target,source,weight\nz,dan,ada,3\n");
  const io::EdgeListResult read = read_edge_list(FileList({a, b}), {.feature_columns = {"kind"}});
  CHECK(edges_of(read) == "ada>bob bob>cid ada>dan");
  CHECK(read.edges.weights == std::vector<float>{1, 2, 3});
  CHECK(read.report.features.categories.at("kind") == std::vector<std::string>{"x", "y", "z"});
  CHECK(read.where(0).file == a);
  CHECK(read.where(2).file == b);
  CHECK(read.where(2).line == 2);
  CHECK(read.place_of(2) == "line 2 of " + b);
  const std::string plain = files.write("c.txt", "1 2\n2 3\n"), more = files.write("d.txt", "3 4\n");
  CHECK(edges_of(read_edge_list(FileList({plain, more}))) == "1>2 2>3 3>4");
  CHECK(edges_of(read_edge_list(FileList({more, plain}))) == "3>4 1>2 2>3");
  CHECK_THROWS_WITH(read_edge_list(FileList({plain, a})), Contains("a.csv:1: expected 2 fields, as in"));
  const std::string named = files.write("e.txt", "source target\n4 5\n");
  CHECK_THROWS_WITH(read_edge_list(FileList({plain, named})),
                    Contains("e.txt:1: expected an edge, found the names of columns"));
  CHECK_THROWS_WITH(read_edge_list(FileList({named, plain})), Contains("c.txt:1: expected the columns of"));
  graph::NodeNames known;
  for (const char* name : {"ada", "bob", "cid"}) known.add(name);
  CHECK_THROWS_WITH(read_edge_list(FileList({a, b}), {.known_nodes = &known}),
                    Contains("b.csv:2: column \"target\": unknown node \"dan\""));
  const auto dropped =
      read_edge_list(FileList({a, b}), {.known_nodes = &known, .unknown_nodes = io::UnknownNodes::drop});
  CHECK(dropped.report.unknown.place == "line 2 of " + b);
}

TEST_CASE("the types of Gephi's edges say the direction", "[io][edge_list]") {
  const Files files;
  const auto read = [&](const std::string& types, const io::EdgeListOptions& options = {}) {
    std::string text = "Source,Target,Type,Weight\n";
    for (std::size_t i = 0; i < types.size(); ++i)
      text += fmt::format("{},{},{},{}\n", i, i + 1,
                          types[i] == 'd'   ? "Directed"
                          : types[i] == 'u' ? "undirected"
                          : types[i] == 'm' ? "Mutual"
                                            : "road",
                          i);
    return read_edge_list(files.write("g.csv", text), options);
  };
  CHECK(read("ddd").report.is_directed);
  CHECK(read("ddd").report.unused_columns.empty());
  CHECK(!read("uuu").report.is_directed);
  CHECK(!read("drd").report.is_directed);
  CHECK(read("drd").report.unused_columns == std::vector<std::string>{"Type"});
  CHECK(!read("ddd", {.reads_types = false}).report.is_directed);
  const io::EdgeListResult mixed = read("duum");
  CHECK(mixed.report.is_directed);
  CHECK(mixed.report.two_way == 3);
  CHECK(edges_of(mixed) == "0>1 1>2 2>3 3>4 2>1 3>2 4>3");
  CHECK(mixed.edges.weights == std::vector<float>{0, 1, 2, 3, 1, 2, 3});
  CHECK(mixed.where(5).line == 4);
  CHECK(!read("dd", {.feature_columns = {"Type"}}).report.is_directed);
}

TEST_CASE("a text that means missing is no end of an edge", "[io][edge_list]") {
  const Files files;
  for (const char* name : {"NaN", "nan", "None", "NULL", "\\N", "NA", "<NA>", "n/a"}) {
    INFO(name);
    const std::string path = files.write("e.csv", fmt::format("source,target\na,b\na,{}\n", name));
    CHECK_THROWS_WITH(read_edge_list(path), Contains("e.csv:3: column \"target\": expected a node, found"));
    CHECK(read_edge_list(path, {.missing = {""}}).names.size() == 3);
    graph::NodeNames known;
    for (const char* node : {"a", "b", name}) known.add(node);
    CHECK(read_edge_list(path, {.known_nodes = &known}).edges.size() == 2);
  }
  CHECK(read_edge_list(files.write("e.csv", "source,target\nNathan,Na\nNora,nine\n")).names.size() == 4);
}

TEST_CASE("two sets of names that overlap", "[io][edge_list]") {
  const Files files;
  const auto doubts = [&](const std::string& text, const io::EdgeListOptions& options = {}) {
    return read_edge_list(files.write("r.csv", text), options).report.doubts;
  };
  const std::string rows = "1,2\n1,3\n2,1\n3,4\n4,6\n5,6\n";
  for (const char* header : {"userId,movieId", "user,item", "author,paper", "customer_id,product_id", "User_ID,MovieID",
                             "patient,drug", "drug,disease", "student_id,course_id", "users,books"}) {
    INFO(header);
    REQUIRE(doubts(header + ("\n" + rows)).size() == 1);
    CHECK_THAT(doubts(header + ("\n" + rows)).front(), Contains("4 names are in both columns, such as \"1\"") &&
                                                           Contains("awk -F, -v OFS=, 'NR > 1 { $1 = \""));
  }
  CHECK(doubts("userId,movieId\n" + rows, {.source_column = "userId", .target_column = "movieId"}).size() == 1);
  for (const char* header : {"source,target", "from,to", "src,dst", "follower,followee", "node1,node2", "id_1,id_2",
                             "user,friend", "teacher,student", "citing_paper,cited_paper", "user1,user2", "gene1,gene2",
                             "buyer,seller", "paper_id,cited_paper_id"}) {
    INFO(header);
    CHECK(doubts(header + ("\n" + rows)).empty());
  }
  CHECK(doubts("userId,movieId\nu1,m2\nu1,m3\nu2,m1\nu3,m4\nu4,m6\nu5,m6\n").empty());
  CHECK(doubts("source,target\nu1,m2\nu1,m3\nu2,m1\nu3,m4\nu4,m6\nu5,m6\n").empty());
  const std::string konect = "1 2\n1 3\n2 1\n3 4\n4 6\n5 6\n";
  for (const char* header : {"% bip weighted\n", "% bip unweighted\n% 6 5 6\n", "% sym\n% 6 5 6\n"}) {
    INFO(header);
    CHECK_THROWS_WITH(doubts(header + konect),
                      Contains("are two kinds: name the kinds (KIND:RELATION:KIND=FILE), or tell them apart") &&
                          Contains("awk '!/^[#%]/ { $1 = \"a\" $1; $2 = \"b\" $2 } 1'"));
  }
  for (const char* header : {"% sym unweighted\n% 6 6 6\n", "% asym\n% 6 6\n", "# 7 5 6\n"}) {
    INFO(header);
    CHECK(doubts(header + konect).empty());
  }
  CHECK(doubts("% bip\na1 b2\na1 b3\n").empty());
}

TEST_CASE("a node whose name may mark a missing end is doubted", "[io][edge_list]") {
  const Files files;
  const auto doubts = [&](const std::string& text) { return read_edge_list(files.write("m.csv", text)).report.doubts; };
  for (const std::string word : {"-", "none", "Unknown", "missing"}) {
    const std::vector<std::string> found = doubts("source,target\na,b\na," + word + "\n" + word + ",c\n");
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0], Contains("\"" + word + "\" is a node at 2 ends of edges"));
  }
  CHECK(doubts("source,target\na,b\na,-\nb,c\n").empty());
}

TEST_CASE("a node in the header of the table of nodes is told", "[io][edge_list]") {
  const Files files;
  graph::NodeNames known;
  for (const char* name : {"1", "2"}) known.add(name);
  const std::string path = files.write("e.txt", "1 2\n0 1\n");
  CHECK_THROWS_WITH(
      read_edge_list(path, {.known_nodes = &known, .nodes_header = "0"}),
      Contains("unknown node \"0\"") && EndsWith("the first row looks like data: give the table a header"));
  for (const io::UnknownNodes unknown : {io::UnknownNodes::add, io::UnknownNodes::drop}) {
    const auto read = [&](const char* header) {
      return read_edge_list(path, {.known_nodes = &known, .nodes_header = header, .unknown_nodes = unknown});
    };
    CHECK(read("0").report.unknown.is_header);
    CHECK(!read("id").report.unknown.is_header);
  }
}
