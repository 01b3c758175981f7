// yyjson with its default flags. yyjson_obj_get finds the first of equal keys.
#include <yyjson.h>

#include "reader.hpp"

struct tree {
  yyjson_val* child(yyjson_val* v, const std::string& name) const {
    if (yyjson_is_arr(v)) return yyjson_arr_get(v, index_of(name));
    if (!c_strings) return yyjson_obj_getn(v, name.data(), name.size());
    size_t i, n;
    yyjson_val *key, *value;
    yyjson_obj_foreach(v, i, n, key, value) {
      if (std::strcmp(yyjson_get_str(key), name.c_str()) == 0) return value;
    }
    return nullptr;
  }

  void put(yyjson_val* v, line& out, bool nested) const {
    if (yyjson_is_str(v)) {
      out.string({yyjson_get_str(v), yyjson_get_len(v)});
    } else if (yyjson_is_sint(v) || (yyjson_is_uint(v) && yyjson_get_uint(v) <= INT64_MAX)) {
      out.integer(yyjson_get_num(v), yyjson_get_sint(v));
    } else if (yyjson_is_num(v)) {
      out.number(yyjson_get_num(v));
    } else if (yyjson_is_bool(v)) {
      out.boolean(yyjson_get_bool(v));
    } else if (yyjson_is_obj(v)) {
      out.object();
    } else if (yyjson_is_arr(v)) {
      out.open();
      size_t i, n;
      yyjson_val* element;
      if (!nested)
        yyjson_arr_foreach(v, i, n, element) { put(element, out, true); }
      out.close();
    } else {
      out.absent();
    }
  }
};

int main(int argc, char** argv) {
  return run(argc, argv, [](const std::string& text, const std::vector<place>& places, line& out) {
    yyjson_doc* document = yyjson_read(text.data(), text.size(), 0);
    if (document == nullptr) return false;
    read_tree<tree, yyjson_val*>({}, yyjson_doc_get_root(document), places, out);
    yyjson_doc_free(document);
    return true;
  });
}
