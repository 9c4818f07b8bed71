#pragma once

#include <string>
#include <vector>

namespace edgewise::io::detail {

/// The columns of a header that neo4j-admin imports, recognised by a field such as ":ID", "person:ID(People)",
/// ":START_ID" or ":TYPE": without the groups of ids and the types of properties, so "age:int" becomes "age". Any other
/// header as it is.
std::vector<std::string> without_neo4j_types(std::vector<std::string> header);

}  // namespace edgewise::io::detail
