/* The same packet through the C interface. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rtbwire/scan.h"

int main(void) {
  const char* packet = "{\"a\":[\"\\u003cScript\"]}";
  size_t count = 0;
  const rtbwire_pattern* patterns = rtbwire_default_patterns(&count);
  const size_t engine_size = rtbwire_engine_memory(patterns, count);
  const size_t scanner_size = rtbwire_scanner_memory(NULL);
  void* engine_memory = malloc(engine_size);
  void* scanner_memory = malloc(scanner_size);
  const rtbwire_engine* engine = NULL;
  rtbwire_scanner* scanner = NULL;
  rtbwire_verdict v;

  if (rtbwire_engine_init(engine_memory, engine_size, patterns, count, NULL, &engine) != RTBWIRE_OK)
    return 1;
  if (rtbwire_scanner_init(scanner_memory, scanner_size, engine, NULL, &scanner) != RTBWIRE_OK)
    return 2;
  rtbwire_scan(scanner, packet, strlen(packet), &v);
  printf("%s: %s at byte %u, %s\n", rtbwire_outcome_name(v.outcome), patterns[v.pattern].id,
         (unsigned)v.match_offset, v.pointer);
  free(scanner_memory);
  free(engine_memory);
  return 0;
}
