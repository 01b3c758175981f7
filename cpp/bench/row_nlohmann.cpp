// nlohmann::json, with and without exceptions, with the heap and with our arena.
//
// Its allocators must be default-constructible, because a parse cannot be given one. So the arena
// is in a thread_local variable of this file.
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "contender.hpp"
#include "rtbwire/arena.hpp"

namespace rtbwire::bench {
namespace {

thread_local fixed_arena* current = nullptr;

template <class T>
struct arena_allocator {
  using value_type = T;
  arena_allocator() = default;
  template <class U>
  arena_allocator(const arena_allocator<U>&) {}
  T* allocate(std::size_t n) {
    if (n > SIZE_MAX / sizeof(T)) throw std::bad_array_new_length{};
    // Not take(), which refuses types with destructors. The containers run them.
    void* p = current->take_bytes(n * sizeof(T), alignof(T));
    if (p == nullptr) throw std::bad_alloc{};
    return static_cast<T*>(p);
  }
  void deallocate(T* p, std::size_t) noexcept { current->give_back(p); }
  template <class U>
  bool operator==(const arena_allocator<U>&) const {
    return true;
  }
};

using arena_string = std::basic_string<char, std::char_traits<char>, arena_allocator<char>>;
using arena_json = nlohmann::basic_json<std::map, std::vector, arena_string, bool, std::int64_t,
                                        std::uint64_t, double, arena_allocator>;

template <class Json>
bool walk(const Json& root) {
  // Not recursive, so that deep packets do not overflow the stack.
  std::vector<const Json*> open{&root};
  while (!open.empty()) {
    const Json& j = *open.back();
    open.pop_back();
    if (j.is_string()) {
      const auto& s = j.template get_ref<const typename Json::string_t&>();
      if (harmful({s.data(), s.size()})) return true;
    } else if (j.is_object()) {
      for (auto it = j.begin(); it != j.end(); ++it) {
        if (harmful({it.key().data(), it.key().size()})) return true;
        open.push_back(&it.value());
      }
    } else if (j.is_array()) {
      for (const auto& v : j) open.push_back(&v);
    }
  }
  return false;
}

template <class Json, bool Throws>
answer parse_and_walk(std::string_view packet) {
  try {
    const Json j = Json::parse(packet.begin(), packet.end(), nullptr, Throws);
    if (j.is_discarded()) return answer::invalid;
    return walk(j) ? answer::malicious : answer::clean;
  } catch (const std::exception&) {
    return answer::invalid;
  }
}

template <bool Throws>
class on_heap final : public contender {
 public:
  answer judge(std::string_view packet) override {
    return parse_and_walk<nlohmann::json, Throws>(packet);
  }
};

template <bool Throws>
class on_arena final : public arena_contender {
  answer judge_in(fixed_arena& arena, std::string_view packet) override {
    current = &arena;
    return parse_and_walk<arena_json, Throws>(packet);
  }
};

}  // namespace

void add_nlohmann_rows() {
  add_row("nlohmann_heap_throw", []() -> contender* { return new on_heap<true>; });
  add_row("nlohmann_heap_nothrow", []() -> contender* { return new on_heap<false>; });
  add_row("nlohmann_arena_throw", []() -> contender* { return new on_arena<true>; });
  add_row("nlohmann_arena_nothrow", []() -> contender* { return new on_arena<false>; });
}

}  // namespace rtbwire::bench
