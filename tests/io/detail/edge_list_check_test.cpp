#include "edgewise/io/detail/edge_list_check.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "edgewise/io/detail/node_kinds.hpp"
#include "edgewise/io/edge_list.hpp"
#include "io/files.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using io::read_edge_list;
using test::Files;

namespace {

struct Refused {
  const char* what;  // a part of the message
  const char* text;
};

const Refused kRefused[] = {
    {"t.txt:1: this looks like an adjacency matrix", "0,1,1\n1,0,0\n1,0,0\n"},
    {"adjacency matrix", "0 1 0 1\n1 0 1 0\n0 0 0 1\n1 1 0 0\n"},
    {"adjacency matrix", "0 2.5 0\n2.5 0 1\n0 1 0\n"},
    {"adjacency matrix", ",a,b,c\na,0,1,0\nb,1,0,1\nc,0,1,0\n"},                 // pandas, R
    {"adjacency matrix", "name,ada,bob\nada,0,1\nbob,1,0\n"},
    {"adjacency matrix", ",0,1,2\n0,0,1,0\n1,1,0,1\n2,0,1,0\n"},
    {"adjacency matrix", "ada;bob;cid;dan\n0;1;0;0\n1;0;1;0\n0;1;0;1\n0;0;1;0\n"},       // without names of rows
    {"an edge_index", "0,0,1,2,3\n1,2,2,3,0\n"},                                 // numpy.savetxt
    {"a METIS file", "4 4\n2 3\n1 3 4\n1 2\n2\n"},
    {"a METIS file", "4 4\n2 4\n1 3\n2 4\n1 3\n"},
    {"a METIS file", "3 2 001\n2 5\n1 5 3 2\n2 2\n"},
    {"an adjacency list", "ada bob cid\nbob cid\ncid\ndan ada\n"},               // NetworkX
    {"an adjacency list", "#made by x\n0 1 2 3\n1 2\n2 3\n3\n"},
    {"an adjacency list", "ada bob cid\nbob ada cid\ncid ada bob\n"},
    {"an adjacency list", "0 1 3\n1 0 2\n2 1 3\n3 0 2\n"},
    {"an adjacency list", "a,b,c,d\nb,a\nx,y,z\n"},
    {"columns 1 and 3 have names in common", "ada pp bob\nada pp cid\nbob pd dan\n"},  // SIF
    {"as in SIF and triples; use data.source 1 data.target 3 data.edge_features 2",
     "ada\tknows\tbob\nbob\tlikes\tcid\ncid\tknows\tada\n"},
    {"data.source 1 data.target 3", "1 pp 2\n1 pp 3\n2 pp 3\n2 pd 4\n3 pd 4\n4 pp 5\n"},
    {"data.source 1 data.target 3 data.weight 2", "ada,0.5,bob\nbob,2,cid\ncid,1,ada\n"},
    {"SIF (a node, a relation, then its neighbours", "a pp b c\nb pd c\nc pp a b d\nd pp a\n"},
    {"data.source 2 data.target 3", "1082008561 1 2\n1082155839 3 4\n1082414391 4 2\n1082439619 2 1\n"},
    {"data.source 2 data.target 3", "0,ada,bob\n1,bob,cid\n2,cid,ada\n"},              // row numbers
    {"data.source 2 data.target 3", "cites a b\ncites b c\nuses c a\n"},               // RSF
    {"data.source 2 data.target 3", "2021-01-05,ada,bob\n2021-01-06,bob,cid\n2021-01-06,cid,ada\n"},
    {"data.source 2 data.target 3", "103\t6416\t2318\n117\t84665\t88\n183\t90\t2339\n278\t2624\t5371\n418\t88\t90\n"
                              "586\t2318\t6416\n612\t2339\t2624\n"},             // BioGRID
    {"row.names = FALSE", "\"V1\" \"V2\"\n\"1\" \"ada\" \"bob\"\n\"2\" \"bob\" \"cid\"\n"},  // R
    {"t.txt:1: this line gives the numbers of nodes and edges (5 6)", "5 6\n1 2\n1 3\n2 3\n3 4\n4 5\n5 1\n"},
    {"numbers of nodes and edges (4 4 5)", "4 4 5\n1 2 0.5\n2 1 0.5\n2 3 1.5\n3 4 1\n4 1 2\n"},
    {"leave it out", "34 78\n1 2 1\n2 3 1\n"},
    {"if this line holds the number of nodes or edges", "34\n1 2\n2 3\n"},
    {"not by \"~\"", "ada~bob\nbob~cid\n"},
    {"not by \":\"", "ada:bob\n"}};

struct Doubted {
  const char* doubt;  // a part of it
  const char* text;
};

const Doubted kDoubted[] = {
    {"2 names are in both columns, such as \"1\", and each is one node although \"user\" and \"item\" are two kinds",
     "user,item\n1,4\n1,3\n2,1\n3,4\n3,1\n"},
    {"\"column 1\" is \"hub\" in every row", "hub a\nhub b\nhub c\nhub d\nhub e\n"},
    {"\"column 2\" is \"pp\" in every row", "a pp\nb pp\nc pp\nd pp\ne pp\n"},
    {"column 1 counts the rows", "0,11,4\n1,4,11\n2,7,11\n3,4,7\n4,9,7\n5,9,4\n6,2,9\n"},
    {"line 1 is taken for an edge, but may give the numbers of nodes and edges", "7 6\n0 1\n1 2\n2 3\n3 4\n4 5\n5 6\n"},
    {"holds numbers such as 1.5", "ada 1.5\nbob 2.5\ncid 1.25\ndan 0.5\neve 3\n"},
    {"looks like times", "2021-01-05 ada\n2021-01-06 bob\n2021-01-06 cid\n2021-01-07 ada\n2021-01-07 bob\n"},
    {"looks like times", "1082008561,7\n1082008562,8\n1082008570,7\n1082008599,9\n1082009561,7\n"},
    {"line 1 is taken for an edge, although its names \"person\" and \"pal\" are unlike all others",
     "person,pal\nAda,Bob\nBob,Cid\nCid,Ada\nDan,Ada\nEve,Bob\nDan,Eve\n"},
    {"line 1 is taken for an edge", "0,1\nada,bob\nbob,cid\ncid,ada\ndan,ada\neve,bob\ndan,eve\n"},
    {"use data.source \"citizen\" data.target \"city\"", "citizen city\nc1 t1\nc1 t2\nt2 c3\nc3 t1\nc4 t4\nt4 t1\n"},
    {"line 4 repeats the header", "source,target\na,b\nb,c\nsource,target\nc,a\na,d\n"}};

const char* const kHeaders[] = {
    "citing,cited", "sender,receiver", "from,to", "user_id,friend_id", "source_node,target_node", "node1,node2",
    "protein1 protein2", "follower,followee", "u,v", "head,tail", "tail,head", "parent,child", "src,dst",
    "caller,callee", "seller,buyer", "buyer,seller", "Source Node,Target Node", "FromNodeId\tToNodeId", "node_a,node_b",
    "geneA,geneB", "Interactor A\tInteractor B", "citing_paper_id,cited_paper_id", "V1,V2", "X1;X2", "a,b", "i j",
    "src_ip,dst_ip", "Source airport,Destination airport", "origin,destination", "ego,alter", "subject,object",
    "regulator,target", "borrower,lender", "person_1,person_2", "from_user_id,to_user_id", "SourceID,TargetID",
    "start_node,end_node", "predator,prey", "retweeter,retweeted", "author1,author2", "ID_A,ID_B", "sender,recipient",
    "payer,payee", "entity1\tentity2", "word1 word2", "user,item", "package,dependency", "source,destination",
    "source,sink", "from_station,to_station", "NODE_1,NODE_2", "left,right", "row,col", "gene,disease",
    "person,movie", "customer_id,product_id"};

}  // namespace

TEST_CASE("tables that are no edge lists are refused", "[io][edge_list][edge_list_check]") {
  const Files files;
  for (const auto& [what, text] : kRefused) {
    INFO(text);
    CHECK_THROWS_WITH(read_edge_list(files.write("t.txt", text)), Contains(what) && Contains("t.txt:"));
    CHECK_THROWS_AS(read_edge_list(files.path("t.txt")), DataError);
  }
}

TEST_CASE("what may be another graph is doubted", "[io][edge_list][edge_list_check]") {
  const Files files;
  for (const auto& [doubt, text] : kDoubted) {
    INFO(text);
    const io::EdgeListResult read = read_edge_list(files.write("t.txt", text));
    REQUIRE(read.report.doubts.size() == 1);
    CHECK_THAT(read.report.doubts[0], Contains(doubt));
  }
}

TEST_CASE("edge lists of all kinds are read without a doubt", "[io][edge_list][edge_list_check]") {
  const Files files;
  for (const char* text :
       {"0 1 5\n1 2 3\n2 0 4\n", "1 2\n2 3\n3 1\n", "0 1\n1 0\n", "1 2 1 100\n2 3 1 101\n3 4 2 105\n4 1 1 110\n",
        "3 2\n2 1\n1 3\n", "0 1 1\n0 2 1\n0 3 2\n", "0 1 1\n0 2 2\n0 3 3\n0 4 4\n1 2 5\n",
        "% asym weighted\n1 2 3\n1 3 4\n3 2 1\n",
        "u1,i1,5\nu2,i2,3\n", "1 itemA 3\n2 itemB 1\n3 itemA 2\n", "ada,bob\nbob,cid\ncid,ada\ndan,eve\neve,ada\n",
        "0 1 {}\n0 2 {}\n1 2 {}\n", "9606.E1 9606.E2 490\n9606.E2 9606.E3 200\n9606.E3 9606.E1 150\n",
        "1,2,0.5\n2,3,0.5\n3,4,0.5\n4,5,0.1\n5,6,0.2\n",
        "node1 node2\nnode2 node3\nnode3 node1\nnode1 node4\nnode4 node5\n",
        "a b\nb c\nc a\nc d\nd e\n", "u v\nv w\nw u\nw x\nx y\n",
        "gene1,gene2\ngene2,gene3\ngene3,gene1\ngene4,gene1\ngene5,gene4\n",
        "6 2 4 1407470400\n6 5 2 1407470401\n1 2 4 1407470402\n2 5 1 1407470500\n5 6 10 1407470600\n"}) {  // bitcoin
    INFO(text);
    const io::EdgeListResult read = read_edge_list(files.write("t.txt", text));
    CHECK(read.report.doubts.empty());
    CHECK_FALSE(read.report.has_header);
  }
}

TEST_CASE("names of columns are no nodes", "[io][edge_list][edge_list_header]") {
  const Files files;
  for (const std::string header : kHeaders) {
    INFO(header);
    const std::size_t sign = header.find_first_of(",;\t"), at = sign == std::string::npos ? header.find(' ') : sign;
    std::string text = header + "\n";
    for (const auto& [source, target] : {std::pair("P0", "P1"), {"P1", "P2"}, {"P2", "P0"}, {"P3", "P0"}})
      text += fmt::format("{}{}{}\n", source, header[at], target);
    const io::EdgeListResult read = read_edge_list(files.write("t.csv", text));
    CHECK(read.report.has_header);
    CHECK(read.names.size() == 4);
    CHECK(read.edges.size() == 4);
    const bool are_two_kinds = io::detail::name_two_kinds(read.report.source_column, read.report.target_column);
    CHECK(read.report.doubts.size() == (are_two_kinds ? 1 : 0));
  }
}

TEST_CASE("a text above numbers is the name of a column", "[io][edge_list][edge_list_header]") {
  const Files files;
  const io::EdgeListResult clubs = read_edge_list(files.write(
      "clubs.csv", "Name,Verein\n1001,Chess\n1002,Chess\n1003,Go\n1004,Go\n1001,Go\n"));
  CHECK(clubs.report.has_header);
  CHECK(clubs.edges.size() == 5);
  CHECK_FALSE(read_edge_list(files.write("t.csv", "hub,Chess\n1,Go\nx,Chess\n3,Go\n4,Go\n5,Go\n")).report.has_header);
}

TEST_CASE("the ends of edges are found by their names among other columns", "[io][edge_list][edge_list_header]") {
  const Files files;
  for (const auto& [header, source, target] :
       {std::tuple("time,sender,receiver,amount", "sender", "receiver"), {"id,cited,citing,x", "citing", "cited"},
        {"pay,user,friend,feature_1", "user", "friend"}, {"Source,Target,Type,Id", "Source", "Target"},
        {"start,end,source,target", "source", "target"}, {",V1,V2,weight", "V1", "V2"},
        {"user_a,user_b,start,end", "user_a", "user_b"},
        {"edge,node_1,node_2,y1", "node_1", "node_2"}, {",0,1,2", "0", "1"}}) {
    INFO(header);
    const std::string text = std::string(header) + "\n1,P0,P1,3\n2,P1,P2,4\n";
    const io::EdgeListResult read = read_edge_list(files.write("t.csv", text));
    CHECK(read.report.has_header);
    CHECK(read.report.source_column == source);
    CHECK(read.report.target_column == target);
  }
}

TEST_CASE("named columns are not judged", "[io][edge_list][edge_list_check]") {
  const Files files;
  const io::EdgeListOptions first{.source_column = "1", .target_column = "2"};
  CHECK(read_edge_list(files.write("a.txt", "ada pp bob\nada pp cid\nbob pd dan\n"), first).names.size() == 4);
  CHECK(read_edge_list(files.write("b.txt", "0,1,1\n1,0,0\n1,0,0\n"), first).edges.size() == 3);
  const io::EdgeListResult star = read_edge_list(files.write("c.txt", "h a\nh b\nh c\nh d\nh e\nh f\n"), first);
  CHECK(star.report.doubts.empty());
}

TEST_CASE("odd quotes and long rows do not disturb the judgement", "[io][edge_list][edge_list_check]") {
  const Files files;
  const std::string quotes =
      "6\" pipe,5' rod\n5' rod,\"a, b\"\n\"a, b\",6\" pipe\n\"two\nlines\",5' rod\n\"say \"\"hi\"\"\",6\" pipe\n";
  const io::EdgeListResult read = read_edge_list(files.write("q.csv", quotes));
  CHECK(read.names.size() == 5);
  CHECK(read.report.doubts.empty());
  const std::string longest(100'000, 'x');
  std::string text = "source,target\n";
  for (int i = 0; i < 6; ++i) text += fmt::format("{}{},y{}\n", longest, i, i % 3);
  CHECK(read_edge_list(files.write("l.csv", text)).edges.size() == 6);
  CHECK(read_edge_list(files.write("m.csv", longest + "," + longest + "y\na,b\n")).edges.size() == 2);
}
