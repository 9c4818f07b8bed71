#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "sandbox.hpp"

namespace edgewise::test {

/// The tables of a generated shop, for every verb.
inline constexpr const char* kShop =
    "--nodes people=shop/people.csv --nodes products=shop/products.csv --edges people:buys:products=shop/purchases.csv "
    "--edges people:knows:people=shop/friends.csv ";

inline void generate_shop(const Sandbox& sandbox, const char* flags = "") {
  const Result made = sandbox.run(std::string("data generate shop --people 300 --products 40 --out shop ") + flags);
  REQUIRE(made.code == 0);
}

}  // namespace edgewise::test
