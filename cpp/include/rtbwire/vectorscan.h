/* A matcher (see scan.h) for large sets and for regular expressions: Vectorscan, in a library of
 * its own. rtbwire::scan does not need it.
 *
 *   rtbwire_vectorscan_create           once; immutable, for all threads
 *   rtbwire_matcher_engine_init         with rtbwire_vectorscan_matcher
 *   rtbwire_vectorscan_scratch_create   once for each scanner
 *   rtbwire_matcher_scanner_init        with that scratch
 *
 * These calls take memory from the heap; a scan takes none.
 *
 * Expressions are those of PCRE that Vectorscan supports: no back-references, no look-around, no
 * conditions, no atomic groups. They are compiled with these rules:
 *
 *   - Case: without regard to ASCII letters' case. The text has no capitals, so that an
 *     expression that switches this off with (?-i) is refused.
 *   - Bytes: one character is one byte, as text need not be UTF-8. Letters beyond ASCII are matched
 *     as their bytes, and not in the other case. Expressions that begin with (*UTF8) or (*UCP) are
 *     refused, and so are \Q and (?x).
 *   - "." is any byte, a line feed too. \s, \w, \d and \b are ASCII's.
 *   - Strings: a match lies in one key or value (of a malformed packet, anywhere). "." and [^x] can match the
 *     border of a string, 0xff; such a match does not count, and a shorter one inside of it does.
 *   - Anchors (^ $ \A \z \Z \G) are refused: they would be those of the packet, not of a string.
 *     For the bytes themselves write \^ and \$.
 *   - What can match nothing at all is refused.
 *
 * Of all places at which an expression can begin to match, the first counts.
 *
 * Time: hs_scan does not backtrack and goes once over the text. To it come a call for each place at
 * which an expression may end, so that "a.*" costs more than "a.*b"; and, from the first string in
 * which an expression may match to the last, one more search of each, for begins. */
#ifndef RTBWIRE_VECTORSCAN_H
#define RTBWIRE_VECTORSCAN_H

#include "rtbwire/scan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a pattern's literal is. */
typedef enum rtbwire_pattern_kind {
  RTBWIRE_PATTERN_LITERAL = 0,   /* ASCII; may be longer than the 64 bytes of the built-in search */
  RTBWIRE_PATTERN_EXPRESSION = 1 /* a regular expression, by the rules above */
} rtbwire_pattern_kind;

#define RTBWIRE_VECTORSCAN_REASON_MAX 255

/* Why patterns are refused. */
typedef struct rtbwire_vectorscan_error {
  int pattern_known;
  size_t pattern;                                 /* which, if known */
  char reason[RTBWIRE_VECTORSCAN_REASON_MAX + 1]; /* for people; begins with the pattern's id, if known */
} rtbwire_vectorscan_error;

typedef struct rtbwire_vectorscan rtbwire_vectorscan;
typedef struct rtbwire_vectorscan_scratch rtbwire_vectorscan_scratch;

/* Compiles patterns. kinds has one for each pattern, or is NULL: all are literals. patterns may go
 * away; their indexes are those of verdicts. error may be NULL. BAD_PATTERN: see error. NO_ROOM:
 * the heap has no more. NO_KERNEL: Vectorscan does not run on this processor. */
RTBWIRE_API rtbwire_status rtbwire_vectorscan_create(const rtbwire_pattern* patterns,
                                                     const rtbwire_pattern_kind* kinds, size_t count,
                                                     rtbwire_vectorscan_error* error,
                                                     rtbwire_vectorscan** created);
/* Not before the engines that use it are done. NULL is allowed. */
RTBWIRE_API void rtbwire_vectorscan_destroy(rtbwire_vectorscan* v);

/* Lives as long as v. */
RTBWIRE_API const rtbwire_matcher* rtbwire_vectorscan_matcher(const rtbwire_vectorscan* v);
/* Bytes of the compiled patterns. */
RTBWIRE_API size_t rtbwire_vectorscan_size(const rtbwire_vectorscan* v);

RTBWIRE_API rtbwire_status rtbwire_vectorscan_scratch_create(const rtbwire_vectorscan* v,
                                                             rtbwire_vectorscan_scratch** created);
RTBWIRE_API void rtbwire_vectorscan_scratch_destroy(rtbwire_vectorscan_scratch* scratch);

#ifdef __cplusplus
}
#endif

#endif
