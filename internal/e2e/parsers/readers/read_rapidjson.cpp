// RapidJSON with its default flags. FindMember finds the first of equal keys.
#include <rapidjson/document.h>

#include "reader.hpp"

using rapidjson::Value;

struct tree {
  const Value* child(const Value* v, const std::string& name) const {
    if (v->IsArray()) {
      const std::size_t i = index_of(name);
      return i < v->Size() ? &(*v)[static_cast<rapidjson::SizeType>(i)] : nullptr;
    }
    if (!v->IsObject()) return nullptr;
    if (c_strings) {
      for (const auto& member : v->GetObject())
        if (std::strcmp(member.name.GetString(), name.c_str()) == 0) return &member.value;
      return nullptr;
    }
    const auto member = v->FindMember(name.c_str());
    return member == v->MemberEnd() ? nullptr : &member->value;
  }

  void put(const Value* v, line& out, bool nested) const {
    if (v->IsString()) {
      out.string({v->GetString(), v->GetStringLength()});
    } else if (v->IsInt64()) {
      out.integer(v->GetDouble(), v->GetInt64());
    } else if (v->IsNumber()) {
      out.number(v->GetDouble());
    } else if (v->IsBool()) {
      out.boolean(v->GetBool());
    } else if (v->IsObject()) {
      out.object();
    } else if (v->IsArray()) {
      out.open();
      if (!nested)
        for (const Value& element : v->GetArray()) put(&element, out, true);
      out.close();
    } else {
      out.absent();
    }
  }
};

int main(int argc, char** argv) {
  return run(argc, argv, [](const std::string& text, const std::vector<place>& places, line& out) {
    rapidjson::Document document;
    if (c_strings)
      document.Parse(text.c_str());
    else
      document.Parse(text.data(), text.size());
    if (document.HasParseError()) return false;
    read_tree<tree, const Value*>({}, &document, places, out);
    return true;
  });
}
