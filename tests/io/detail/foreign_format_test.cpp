#include "edgewise/io/detail/foreign_format.hpp"

#include <catch2/catch.hpp>

#include "edgewise/io/edge_list.hpp"
#include "io/files.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Files;

namespace {

struct Foreign {
  const char* what;  // a part of the message
  std::string text;
  int line = 1;
};

/// As the tools write them.
const Foreign kForeign[] = {
    {"GraphML", "<?xml version='1.0' encoding='utf-8'?>\n<graphml xmlns=\"http://g\">\n<graph>\n"},
    {"GEXF", "<?xml version=\"1.0\"?>\n<gexf version=\"1.2\">\n"},
    {"web page", "<!DOCTYPE html>\n<html><head><title>404</title>\n"},
    {"XML", "<?xml version=\"1.0\"?>\n<network><link a=\"1\" b=\"2\"/></network>\n"},
    {"RDF", "<http://a/x> <http://a/knows> <http://a/y> .\n<http://a/y> <http://a/knows> <http://a/z> .\n"},
    {"RDF", "@prefix foaf: <http://xmlns.com/foaf/0.1/> .\n<#a> foaf:knows <#b> .\n"},
    {"JSON", "{\"directed\": false, \"nodes\": [{\"id\": 0}], \"links\": []}\n"},
    {"JSON", "{\"source\": \"a\", \"target\": \"b\"}\n{\"source\": \"b\", \"target\": \"c\"}\n"},
    {"JSON", "[[0, 1], [1, 2]]\n"},
    {"DOT", "strict digraph \"karate club\" {\n  a -> b;\n}\n"},
    {"DOT", "// made by hand\ngraph\n{\n  a -- b;\n}\n", 2},
    {"GML", "Creator \"igraph\"\nVersion 1\ngraph\n[\n  directed 0\n  node\n  [\n    id 0\n", 3},
    {"GML", "graph [\n  node [\n    id 0\n    label \"a\"\n"},
    {"Pajek", "% made by igraph\n*Vertices 3\n1 \"a\"\n2 \"b\"\n3 \"c\"\n*Edges\n1 2\n", 2},
    {"Pajek", "*Network friends\n*Vertices 2\n1 a\n2 b\n*Arcs\n1 2 1.0\n"},
    {"UCINET", "dl n=3 format=edgelist1\nlabels:\na,b,c\ndata:\n1 2\n"},
    {"UCINET", "*Node data\nid age\na 3\n*Tie data\nfrom to\na b\n"},
    {"DIMACS", "c a graph\nc\np edge 4 3\ne 1 2\ne 2 3\ne 3 4\n", 3},
    {"DIMACS", "p max 4 2\nn 1 s\nn 4 t\na 1 2 5\na 2 4 5\n"},
    {"LGL", "# ada\nbob 1.5\ncid 2\n# bob\ncid 1\n"},
    {"LGL", "# ada\nbob\n# cid\ndan\n"},
    {"trivial graph", "1 Ada\n2 Bob\n3 Cid\n#\n1 2 friend\n2 3 friend\n", 4},
    {"multi-line adjacency list", "#/home/x/make.py\n# GMT Mon\n#\n0 2\n1 {}\n2 {}\n1 1\n2 {}\n2 0\n", 4},
    {"multi-line adjacency list", "ada 1\nbob {'weight': 3}\nbob 1\ncid {'weight': 1}\ncid 0\n"},
    {"attributes in braces", "1 2 {'weight': 3}\n2 3 {'weight': 4}\n"},
    {"attributes in braces", "0 1 {'weight': 4, 'time': 1}\n0 2 {'weight': 5, 'time': 2}\n"},
    {"attributes in braces", "ada,bob,{'since': 2001}\nbob,cid,{'since': 2002, 'kind': 'friend'}\n"},
    {"in brackets", "(0, 1)\n(1, 2)\n(2, 3)\n"},
    {"in brackets", "('ada', 'bob'),\n('bob', 'cid'),\n"},
    {"in brackets", "[(0, 1), (1, 2), (2, 3)]\n"},
    {"in brackets", "{0, 1}\n{1, 2}\n"},
    {"an arrow", "ada -> bob\nbob -> cid\n"},
    {"an arrow", "ada,->,bob\nbob,->,cid\n"},
    {"an arrow", "ada--bob\nbob--cid\n"},
    {"an arrow", "ada -- bob;\nbob -- cid;\n"},
    {"an arrow", "ada->bob 0.5\nbob->cid 1\n"},
    {"an arrow", "ada\t→\tbob\n"},
    {"a colon", "ada: bob cid\nbob: ada dan\n"},
    {"Matrix Market", "%%MatrixMarket matrix coordinate real general\n%\n3 3 2\n1 2 0.5\n2 3 1\n"},
    {"Git LFS", "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 12\n"},
    {"GDF", "nodedef>name VARCHAR,label VARCHAR\na,Ada\nb,Bob\nedgedef>node1 VARCHAR,node2 VARCHAR\na,b\n"},
    {"LEDA", "LEDA.GRAPH\nstring\nint\n-1\n2\n|{a}|\n|{b}|\n1\n1 2 0 |{1}|\n"},
    {"graph6", ">>graph6<<Dhc\n"},
    {"dump of a database", "INSERT INTO edges VALUES (1, 2);\nINSERT INTO edges VALUES (2, 3);\n"}};

}  // namespace

TEST_CASE("other formats are refused as edge lists by what they are", "[io][edge_list][foreign_format]") {
  const Files files;
  for (const Foreign& foreign : kForeign) {
    INFO(foreign.text);
    const std::string place = "edges.txt:" + std::to_string(foreign.line) + ": expected an edge list, found ";
    const auto check = [&](const std::string& path) {
      CHECK_THROWS_WITH(io::read_edge_list(path), Contains(place) && Contains(foreign.what));
    };
    check(files.write("edges.txt", foreign.text));
    check(files.write_gzip("edges.txt", foreign.text));
    if (foreign.text.front() > ' ') check(files.write("edges.txt", "\xef\xbb\xbf" + foreign.text));
  }
}

TEST_CASE("names that resemble other formats are nodes", "[io][edge_list][foreign_format]") {
  for (const char* text : {"graph node\nnode edge\n",
                           "<s> the\nthe cat\n",
                           "[CLS],[SEP]\n[SEP],the\n",
                           "p e\ne c\nc p\n",
                           "{a b\nb c\n",
                           "c a\nc b\nb a\n",
                           "# karate\n# undirected\n1 2\n2 3\n",
                           "# ties\na,b\n# again\nb,c\n",
                           "# ties\na b\n# again\nb c\n",
                           "# ties\n1 2\n# again\n2 3\n",
                           "1 2 {}\n2 3 {}\n",
                           "a,b,\"{'w': 1}\"\nb,c,\"{}\"\n",
                           "foo--bar,baz--qux\nbaz--qux,foo--bar\n",
                           "GO:1 GO:2\nGO:2 GO:3\n",
                           "(Z)-hexenal,(E)-hexenal\n",
                           "http://a http://b\n",
                           "-1,-2\n-2,-3\n",
                           "prefix suffix\n",
                           "\n\n1 2\n",
                           "a-b c\n"}) {
    INFO(text);
    CHECK_FALSE(io::detail::find_foreign_format(text, true));
  }
}

TEST_CASE("rows with arrows or braces are read if the columns are named", "[io][edge_list][foreign_format]") {
  const Files files;
  const io::EdgeListOptions options{.source_column = "1", .target_column = "3"};
  const io::EdgeListResult arrows = io::read_edge_list(files.write("a.txt", "ada -> bob\nbob -> cid\n"), options);
  CHECK(arrows.names.size() == 3);
  CHECK(arrows.edges.size() == 2);
}
