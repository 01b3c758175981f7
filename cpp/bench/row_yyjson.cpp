// yyjson with malloc, with its own pool, and with our arena. The walk is recursive, bounded by the
// packets of the corpus.
#include <yyjson.h>

#include "contender.hpp"

namespace rtbwire::bench {
namespace {

bool walk(yyjson_val* v) {
  size_t i, n;
  yyjson_val *key, *child;
  switch (yyjson_get_type(v)) {
    case YYJSON_TYPE_STR: return harmful({yyjson_get_str(v), yyjson_get_len(v)});
    case YYJSON_TYPE_ARR:
      yyjson_arr_foreach (v, i, n, child)
        if (walk(child)) return true;
      return false;
    case YYJSON_TYPE_OBJ:
      yyjson_obj_foreach (v, i, n, key, child)
        if (harmful({yyjson_get_str(key), yyjson_get_len(key)}) || walk(child)) return true;
      return false;
    default: return false;
  }
}

answer parse_and_walk(std::string_view packet, const yyjson_alc* alc) {
  // Without YYJSON_READ_INSITU it does not write to the packet.
  yyjson_doc* doc =
      yyjson_read_opts(const_cast<char*>(packet.data()), packet.size(), 0, alc, nullptr);
  if (doc == nullptr) return answer::invalid;
  const answer a = walk(yyjson_doc_get_root(doc)) ? answer::malicious : answer::clean;
  yyjson_doc_free(doc);
  return a;
}

class on_heap final : public contender {
 public:
  answer judge(std::string_view packet) override { return parse_and_walk(packet, nullptr); }
};

class on_pool final : public contender {
 public:
  answer judge(std::string_view packet) override {
    yyjson_alc alc;
    yyjson_alc_pool_init(&alc, buffer_, sizeof buffer_);
    return parse_and_walk(packet, &alc);
  }

 private:
  alignas(64) char buffer_[arena_size];
};

class on_arena final : public arena_contender {
  answer judge_in(fixed_arena& arena, std::string_view packet) override {
    const yyjson_alc alc = {
        [](void* a, size_t n) { return static_cast<fixed_arena*>(a)->take_bytes(n, 16); },
        [](void* a, void* p, size_t from, size_t to) {
          return static_cast<fixed_arena*>(a)->resize(p, from, to, 16);
        },
        [](void* a, void* p) { static_cast<fixed_arena*>(a)->give_back(p); }, &arena};
    return parse_and_walk(packet, &alc);
  }
};

}  // namespace

void add_yyjson_rows() {
  add_row("yyjson_heap", []() -> contender* { return new on_heap; });
  add_row("yyjson_pool", []() -> contender* { return new on_pool; });
  add_row("yyjson_arena", []() -> contender* { return new on_arena; });
}

}  // namespace rtbwire::bench
