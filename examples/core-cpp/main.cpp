// An auction core in C++, as a place to begin: it reads what the gateway forwards (the exchange's
// own bytes, and the verdict in headers) and answers with a bid, or with 204.
//
//   cmake -B build examples/core-cpp && cmake --build build && build/core 127.0.0.1 9000
//   rtbwire serve --upstream http://127.0.0.1:9000 --max-upstream-connections 128
#include <httplib.h>
#include <simdjson.h>

#include <cstdlib>
#include <iostream>

constexpr int score_max = 20;         // no bid for what looks more like fraud than that
constexpr double price_min = 0.5;     // dollars for a thousand impressions
constexpr std::size_t threads = 128;  // each serves one connection of the gateway

// token returns a value as it is in the request, with its quotes and escapes.
static std::string token(simdjson::ondemand::value value) {
  const std::string_view text = value.raw_json_token();
  return std::string{text.substr(0, text.find_last_not_of(" \t\r\n") + 1)};
}

// bid returns the response to a request: a bid in dollars for its first banner that is for anyone,
// or nothing. It throws if something is missing or of another type.
static std::string bid(const std::string& body) {
  thread_local simdjson::ondemand::parser parser;
  const simdjson::padded_string text{body};
  auto request = parser.iterate(text);
  const std::string id = token(request["id"]);
  bool dollars = request["cur"].error() != simdjson::SUCCESS;  // no list allows all
  if (!dollars)
    for (std::string_view currency : request["cur"]) dollars |= currency == "USD";
  if (!dollars) return {};
  for (simdjson::ondemand::object imp : request["imp"]) {
    std::string_view currency;
    if (imp["bidfloorcur"].get(currency) == simdjson::SUCCESS && currency != "USD") continue;
    std::int64_t closed = 0;
    if (imp["pmp"]["private_auction"].get(closed) == simdjson::SUCCESS && closed == 1) continue;
    if (imp["banner"].error() != simdjson::SUCCESS) continue;
    double floor = 0;
    if (imp["bidfloor"].get(floor) != simdjson::SUCCESS) floor = 0;
    return R"({"id":)" + id + R"(,"seatbid":[{"bid":[{"id":"1","impid":)" + token(imp["id"]) +
           R"(,"price":)" + std::to_string(std::max(price_min, floor + 0.01)) +
           R"(,"adomain":["advertiser.example"]}]}]})";
  }
  return {};
}

static void answer(const httplib::Request& request, httplib::Response& response) {
  response.status = 204;
  // Only the gateway sets these: what exchanges send under such names does not come through.
  if (request.get_header_value("X-Rtbwire-Action") != "forward") return;  // it is in shadow
  if (std::atoi(request.get_header_value("X-Rtbwire-Score").c_str()) > score_max) return;
  try {
    if (const auto text = bid(request.body); !text.empty()) {
      response.set_content(text, "application/json");
      response.status = 200;
    }
  } catch (const simdjson::simdjson_error& error) {
    std::cerr << request.get_header_value("X-Request-Id") << ": " << error.what() << std::endl;
  }
}

int main(int, char** arguments) {
  httplib::Server server;
  server.new_task_queue = [] { return new httplib::ThreadPool(threads); };
  server.set_keep_alive_max_count(1'000'000);
  server.set_keep_alive_timeout(10);  // seconds, more than the gateway keeps idle connections
  server.set_tcp_nodelay(true);
  server.Post("/openrtb2/auction", answer);
  if (!server.bind_to_port(arguments[1], std::stoi(arguments[2]))) return 1;
  std::cout << "listening" << std::endl;
  return server.listen_after_bind() ? 0 : 1;
}
