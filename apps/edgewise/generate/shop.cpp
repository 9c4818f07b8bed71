#include "generate/shop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <ostream>
#include <set>
#include <vector>

#include "edgewise/core/atomic_file.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/folder.hpp"
#include "edgewise/core/random.hpp"

namespace edgewise::app {
namespace {

constexpr std::array kCategories = {"books", "garden", "kitchen", "music", "sports", "toys"};
constexpr std::array kShopPlans = {"basic", "plus"};

/// Purposes of random numbers; each has its own sequence for each person or product.
enum ShopPurpose : std::uint64_t { kProduct = 20, kPerson, kPurchases, kFriends, kAnswer };

struct Product {
  std::size_t category;
  double price;
  double faults;  ///< Hidden.
  double stars;
};

struct Person {
  std::size_t taste = 0;  ///< The category that they mostly buy from; hidden.
  int age = 0;
  std::size_t plan = 0;
  std::vector<std::size_t> bought, friends;
  bool leaves = false;
  bool is_known = false;
  const char* part = "";
};

void check(const ShopOptions& options) {
  const auto refuse = [](const char* name, const char* expected) {
    throw UsageError(fmt::format("shop: {}: expected {}", name, expected));
  };
  if (options.people < 2) refuse("people", "at least 2");
  if (options.products < kCategories.size()) refuse("products", "at least 6, one of each category");
  if (!(options.purchases >= 1)) refuse("mean_purchases", "at least 1 a person");
  if (!(options.friends >= 0)) refuse("friends", "at least 0 a person");
  if (!(options.faults >= 0 && options.faults <= 1)) refuse("faults", "a share from 0 to 1");
}

std::vector<Product> draw_products(const ShopOptions& options) {
  std::vector<Product> products;
  for (std::size_t p = 0; p < options.products; ++p) {
    Random random(options.seed, Stream::generate, kProduct, p);
    Product product{.category = p % kCategories.size(), .price = 5 + std::floor(95 * random.uniform()),
                    .faults = random.normal(), .stars = 0};
    product.stars = std::clamp(std::round(2 * (3.2 - 0.8 * product.faults + 0.4 * random.normal())) / 2, 1.0, 5.0);
    products.push_back(product);
  }
  return products;
}

/// About `mean` different things, at least `least`, each made by `draw`.
template <class Draw>
std::vector<std::size_t> draw_some(double mean, std::size_t least, Random& random, const Draw& draw) {
  const auto wanted = std::max(least, static_cast<std::size_t>(2 * mean * random.uniform() + 0.5));
  std::set<std::size_t> drawn;
  for (std::size_t i = 0; i < wanted; ++i) drawn.insert(draw());
  return {drawn.begin(), drawn.end()};
}

Person draw_person(std::size_t number, const ShopOptions& options) {
  Random random(options.seed, Stream::generate, kPerson, number);
  Person person;
  person.taste = random.below(kCategories.size());
  person.age = 18 + static_cast<int>(random.below(60));
  person.plan = random.uniform() < 0.4 ? 1 : 0;
  Random buying(options.seed, Stream::generate, kPurchases, number);
  person.bought = draw_some(options.purchases, 1, buying, [&] {
    if (buying.uniform() >= 0.7) return static_cast<std::size_t>(buying.below(options.products));
    const std::size_t of_category = (options.products - person.taste - 1) / kCategories.size() + 1;
    return person.taste + kCategories.size() * static_cast<std::size_t>(buying.below(of_category));
  });
  return person;
}

/// Friends are mostly people of the same taste.
void draw_friends(const ShopOptions& options, std::vector<Person>& people) {
  std::vector<std::vector<std::size_t>> alike(kCategories.size());
  for (std::size_t i = 0; i < people.size(); ++i) alike[people[i].taste].push_back(i);
  for (std::size_t i = 0; i < people.size(); ++i) {
    Random random(options.seed, Stream::generate, kFriends, i);
    const std::vector<std::size_t>& of_taste = alike[people[i].taste];
    people[i].friends = draw_some(options.friends, 0, random, [&] {
      return random.uniform() < 0.6 ? of_taste[random.below(of_taste.size())]
                                    : static_cast<std::size_t>(random.below(people.size()));
    });
    std::erase(people[i].friends, i);
  }
}

/// Who leaves: the third with the highest scores.
void decide(const ShopOptions& options, const std::vector<Product>& products, std::vector<Person>& people) {
  std::vector<double> scores;
  for (std::size_t i = 0; i < people.size(); ++i) {
    Random random(options.seed, Stream::generate, kAnswer, i);
    double faults = 0;
    for (const std::size_t product : people[i].bought) faults += products[product].faults;
    faults /= std::sqrt(static_cast<double>(people[i].bought.size()));  // the same spread for few and many
    const double own = (people[i].plan == 0 ? 0.6 : -0.9) - 0.6 * (people[i].age - 47.5) / 17.3;
    scores.push_back(options.faults * faults + (1 - options.faults) * own + 0.3 * random.normal());
    people[i].is_known = random.uniform() >= 0.2;
    const double place = random.uniform();
    people[i].part = !people[i].is_known ? "" : place < 0.6 ? "train" : place < 0.8 ? "validation" : "test";
  }
  std::vector<double> sorted = scores;
  std::ranges::sort(sorted);
  const double threshold = sorted[2 * sorted.size() / 3];
  for (std::size_t i = 0; i < people.size(); ++i) people[i].leaves = scores[i] >= threshold;
}

}  // namespace

void write_shop(const std::string& directory, const ShopOptions& options) {
  check(options);
  const std::vector<Product> products = draw_products(options);
  std::vector<Person> people;
  for (std::size_t i = 0; i < options.people; ++i) people.push_back(draw_person(i, options));
  draw_friends(options, people);
  decide(options, products, people);
  make_folder(directory);
  const auto write = [&](const char* name, const std::string& text) {
    write_file_atomically((std::filesystem::path(directory) / name).string(), [&](std::ostream& out) { out << text; });
  };
  std::string rows = "product,category,price,stars\n";
  for (std::size_t p = 0; p < products.size(); ++p)
    rows += fmt::format("{},{},{:.0f},{:.1f}\n", p + 1, kCategories.at(products[p].category), products[p].price,
                        products[p].stars);
  write("products.csv", rows);
  rows = "person,age,plan,churned,split\n";
  std::string purchases = "person,product\n", friends = "person,friend\n";
  for (std::size_t i = 0; i < people.size(); ++i) {
    const Person& person = people[i];
    rows += fmt::format("{},{},{},{},{}\n", i + 1, person.age, kShopPlans.at(person.plan),
                        !person.is_known ? "" : person.leaves ? "yes" : "no", person.part);
    for (const std::size_t product : person.bought) purchases += fmt::format("{},{}\n", i + 1, product + 1);
    for (const std::size_t other : person.friends) friends += fmt::format("{},{}\n", i + 1, other + 1);
  }
  write("people.csv", rows);
  write("purchases.csv", purchases);
  write("friends.csv", friends);
}

}  // namespace edgewise::app
