// JSON to values, for test data that is known to be valid. std::logic_error if it is not.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rtbwire::test::json {

struct value {
  enum class kind { null, boolean, number, string, array, object };
  kind is{kind::null};
  unsigned long number{0};        // only integers
  std::string string;             // in UTF-8
  std::vector<value> items;       // of an array or object
  std::vector<std::string> keys;  // of an object, one per item

  bool is_null() const { return is == kind::null; }
  bool has(std::string_view key) const { return find(key) < items.size(); }
  const value& operator[](std::string_view key) const { return items.at(find(key)); }

 private:
  std::size_t find(std::string_view key) const {
    return static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin());
  }
};

value parse(std::string_view text);

}  // namespace rtbwire::test::json
