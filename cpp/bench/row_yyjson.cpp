// yyjson with malloc, with its own pool, with our arena, and in situ on a copy of the packet. The
// walk is recursive, bounded by the packets of the corpus.
#include <yyjson.h>

#include <cstring>

#include "contender.hpp"

namespace rtbwire::bench {
namespace {

template <class Search>
bool walk(yyjson_val* v) {
  size_t i, n;
  yyjson_val *key, *child;
  switch (yyjson_get_type(v)) {
    case YYJSON_TYPE_STR: return Search::find({yyjson_get_str(v), yyjson_get_len(v)});
    case YYJSON_TYPE_ARR:
      yyjson_arr_foreach (v, i, n, child)
        if (walk<Search>(child)) return true;
      return false;
    case YYJSON_TYPE_OBJ:
      yyjson_obj_foreach (v, i, n, key, child)
        if ((Search::keys && Search::find({yyjson_get_str(key), yyjson_get_len(key)})) ||
            walk<Search>(child))
          return true;
      return false;
    default: return false;
  }
}

template <class Search>
answer parse_and_walk(char* packet, std::size_t size, yyjson_read_flag flags,
                      const yyjson_alc* alc) {
  yyjson_read_err error;
  yyjson_doc* doc = yyjson_read_opts(packet, size, flags, alc, &error);
  if (doc == nullptr)
    return error.code == YYJSON_READ_ERROR_MEMORY_ALLOCATION ? answer::refused : answer::invalid;
  const answer a = walk<Search>(yyjson_doc_get_root(doc)) ? answer::malicious : answer::clean;
  yyjson_doc_free(doc);
  return a;
}

// Without YYJSON_READ_INSITU it does not write to the packet.
template <class Search>
answer parse_and_walk(std::string_view packet, const yyjson_alc* alc) {
  return parse_and_walk<Search>(const_cast<char*>(packet.data()), packet.size(), 0, alc);
}

template <class Search>
class on_heap final : public contender {
 public:
  answer judge(std::string_view packet) override {
    return parse_and_walk<Search>(packet, nullptr);
  }
};

template <class Search, std::size_t Size = arena_size>
class on_pool final : public contender {
 public:
  answer judge(std::string_view packet) override {
    yyjson_alc alc;
    yyjson_alc_pool_init(&alc, buffer_, sizeof buffer_);
    return parse_and_walk<Search>(packet, &alc);
  }

 private:
  alignas(64) char buffer_[Size];
};

template <class Search>
class on_arena final : public arena_contender<> {
  answer judge_in(fixed_arena& arena, std::string_view packet) override {
    const yyjson_alc alc = {
        [](void* a, size_t n) { return static_cast<fixed_arena*>(a)->take_bytes(n, 16); },
        [](void* a, void* p, size_t from, size_t to) {
          return static_cast<fixed_arena*>(a)->resize(p, from, to, 16);
        },
        [](void* a, void* p) { static_cast<fixed_arena*>(a)->give_back(p); }, &arena};
    return parse_and_walk<Search>(packet, &alc);
  }
};

// In situ it needs bytes of zero after the text.
template <class Search, bool Pool>
class in_situ final : public contender {
 public:
  answer judge(std::string_view packet) override {
    std::memcpy(copy_, packet.data(), packet.size());
    std::memset(copy_ + packet.size(), 0, YYJSON_PADDING_SIZE);
    yyjson_alc alc;
    if constexpr (Pool) yyjson_alc_pool_init(&alc, buffer_, sizeof buffer_);
    return parse_and_walk<Search>(copy_, packet.size(), YYJSON_READ_INSITU,
                                  Pool ? &alc : nullptr);
  }

 private:
  alignas(64) char buffer_[Pool ? arena_size : 1];
  char copy_[longest_packet + YYJSON_PADDING_SIZE];
};

template <class Row>
void add(const char* name, abilities can = {}) {
  add_row(name, []() -> contender* { return new Row; }, can);
}

}  // namespace

void add_yyjson_rows() {
  const uint32_t v = yyjson_version();
  add_note("yyjson", std::to_string(v >> 16) + '.' + std::to_string(v >> 8 & 255) + '.' +
                         std::to_string(v & 255));
  add<on_heap<all_needles>>("yyjson-malloc");
  add<on_pool<all_needles>>("yyjson-pool");
  add<on_arena<all_needles>>("yyjson-arena");
  add<on_pool<all_needles, arena_size_small>>("yyjson-4096", {.any_size = false});
  add<in_situ<all_needles, false>>("yyjson-insitu");
  add<in_situ<all_needles, true>>("yyjson-insitu-pool");
  add<in_situ<one_literal, false>>("yyjson-insitu-needle", {.all_payloads = false});
  add<in_situ<one_literal, true>>("yyjson-insitu-pool-needle", {.all_payloads = false});
  add<on_heap<one_literal>>("yyjson-malloc-needle", {.all_payloads = false});
  add<on_arena<one_literal>>("yyjson-arena-needle", {.all_payloads = false});
}

}  // namespace rtbwire::bench
