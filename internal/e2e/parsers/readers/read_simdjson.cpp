// simdjson: its tree (dom), or with --ondemand its cursor, which reads what it is asked for.
// Both find the first of equal keys.
#include <simdjson.h>

#include "reader.hpp"

namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

bool child(element& v, const std::string& name) {
  simdjson::dom::array list;
  if (v.get(list) == simdjson::SUCCESS) return list.at(index_of(name)).get(v) == simdjson::SUCCESS;
  simdjson::dom::object object;
  if (v.get(object) != simdjson::SUCCESS) return false;
  if (!c_strings) return object.at_key(name).get(v) == simdjson::SUCCESS;
  for (auto member = object.begin(); member != object.end(); ++member) {
    if (std::strcmp(member.key_c_str(), name.c_str()) == 0) {
      v = member.value();
      return true;
    }
  }
  return false;
}

void put(element v, line& out, bool nested) {
  switch (v.type()) {
    case element_type::STRING: return out.string(v.get_string().value_unsafe());
    case element_type::INT64:
      return out.integer(v.get_double().value_unsafe(), v.get_int64().value_unsafe());
    case element_type::UINT64:
    case element_type::DOUBLE: return out.number(v.get_double().value_unsafe());
    case element_type::BOOL: return out.boolean(v.get_bool().value_unsafe());
    case element_type::OBJECT: return out.object();
    case element_type::ARRAY:
      out.open();
      if (const simdjson::dom::array list = v; !nested)
        for (element e : list) put(e, out, true);
      return out.close();
    case element_type::NULL_VALUE: return out.absent();
  }
}

bool read_dom(const std::string& text, const std::vector<place>& places, line& out) {
  static simdjson::dom::parser parser;
  element root;
  if (parser.parse(text).get(root) != simdjson::SUCCESS) return false;
  for (const place& p : places) {
    element value = root;
    bool there = true;
    for (const std::string& segment : p.segments) there = there && child(value, segment);
    if (there)
      put(value, out, false);
    else
      out.absent();
    out.end_of_place();
  }
  return true;
}

namespace ondemand = simdjson::ondemand;

// put_next throws if the parser refuses the value.
void put_next(ondemand::value v, line& out, bool nested) {
  switch (v.type().value()) {
    case ondemand::json_type::string: return out.string(v.get_string().value());
    case ondemand::json_type::number: {
      std::int64_t exact;
      const double number = v.get_double().value();
      if (v.get_int64().get(exact) == simdjson::SUCCESS) return out.integer(number, exact);
      return out.number(number);
    }
    case ondemand::json_type::boolean: return out.boolean(v.get_bool().value());
    case ondemand::json_type::object: return out.object();
    case ondemand::json_type::array:
      out.open();
      if (!nested)
        for (auto e : v.get_array().value()) put_next(e.value(), out, true);
      return out.close();
    case ondemand::json_type::null: return out.absent();
    default: throw simdjson::simdjson_error{simdjson::TAPE_ERROR};
  }
}

bool missing(simdjson::error_code e) {
  return e == simdjson::NO_SUCH_FIELD || e == simdjson::INCORRECT_TYPE ||
         e == simdjson::INDEX_OUT_OF_BOUNDS || e == simdjson::INVALID_JSON_POINTER;
}

bool read_ondemand(const std::string& text, const std::vector<place>& places, line& out) {
  static ondemand::parser parser;
  const simdjson::padded_string padded{text};
  ondemand::document document;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS) return false;
  for (const place& p : places) {
    ondemand::value value;
    const auto error = document.at_pointer(p.pointer).get(value);
    if (error == simdjson::SUCCESS) {
      try {
        put_next(value, out, false);
      } catch (const simdjson::simdjson_error&) {
        return false;
      }
    } else if (missing(error)) {
      out.absent();
    } else {
      return false;
    }
    out.end_of_place();
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--ondemand") == 0) return run(argc - 1, argv + 1, read_ondemand);
  return run(argc, argv, read_dom);
}
