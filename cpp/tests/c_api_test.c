/* The calls as a C program makes them: memory from the caller, one packet, one verdict. */
#include <stdio.h>
#include <string.h>

#include "rtbwire/scan.h"
#include "rtbwire/vectorscan.h" /* must be C; the functions are in another library */

static unsigned char engine_memory[1 << 20];
static unsigned char scanner_memory[1 << 20];

int main(void) {
  size_t count = 0;
  const rtbwire_pattern* patterns = rtbwire_default_patterns(&count);
  const rtbwire_engine* engine = NULL;
  rtbwire_scanner* scanner = NULL;
  const char* packet = "{\"a\":[\"\\u003cScript\"]}";
  rtbwire_verdict verdict;

  if (rtbwire_engine_memory(patterns, count) > sizeof engine_memory) return 1;
  if (rtbwire_engine_init(engine_memory, sizeof engine_memory, patterns, count, NULL, &engine) !=
      RTBWIRE_OK)
    return 2;
  if (rtbwire_scanner_init(scanner_memory, sizeof scanner_memory, engine, NULL, &scanner) !=
      RTBWIRE_OK)
    return 3;
  rtbwire_scan(scanner, packet, strlen(packet), &verdict);
  printf("%s: %s at byte %u, %s\n", rtbwire_outcome_name(verdict.outcome),
         patterns[verdict.pattern].id, (unsigned)verdict.match_offset, verdict.pointer);
  return verdict.outcome == RTBWIRE_MALICIOUS && verdict.match_offset == 7 &&
                 verdict.pattern_count == 1 && verdict.patterns[0] == verdict.pattern &&
                 strcmp(verdict.pointer, "/a/0") == 0
             ? 0
             : 4;
}
