// nlohmann::json. Of equal keys the last one counts.
#include <nlohmann/json.hpp>

#include "reader.hpp"

using nlohmann::json;

struct tree {
  const json* child(const json* v, const std::string& name) const {
    if (v->is_array()) {
      const std::size_t i = index_of(name);
      return i < v->size() ? &(*v)[i] : nullptr;
    }
    if (!v->is_object()) return nullptr;
    if (c_strings) {
      for (const auto& [key, value] : v->items())
        if (std::strcmp(key.c_str(), name.c_str()) == 0) return &value;
      return nullptr;
    }
    const auto member = v->find(name);
    return member == v->end() ? nullptr : &*member;
  }

  void put(const json* v, line& out, bool nested) const {
    if (v->is_string()) {
      out.string(v->get_ref<const std::string&>());
    } else if (v->is_number_unsigned() && v->get<std::uint64_t>() > INT64_MAX) {
      out.number(v->get<double>());
    } else if (v->is_number_integer()) {
      out.integer(v->get<double>(), v->get<std::int64_t>());
    } else if (v->is_number()) {
      out.number(v->get<double>());
    } else if (v->is_boolean()) {
      out.boolean(v->get<bool>());
    } else if (v->is_object()) {
      out.object();
    } else if (v->is_array()) {
      out.open();
      if (!nested)
        for (const json& element : *v) put(&element, out, true);
      out.close();
    } else {
      out.absent();
    }
  }
};

int main(int argc, char** argv) {
  return run(argc, argv, [](const std::string& text, const std::vector<place>& places, line& out) {
    const json document = json::parse(text, nullptr, false);
    if (document.is_discarded()) return false;
    read_tree<tree, const json*>({}, &document, places, out);
    return true;
  });
}
