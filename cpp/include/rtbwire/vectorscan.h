/* A matcher (see scan.h) for large sets and for regular expressions, by Vectorscan. It is a
 * library of its own: rtbwire::scan does not need it.
 *
 *   rtbwire_vectorscan_create           once; immutable, for all threads
 *   rtbwire_matcher_engine_init         with rtbwire_vectorscan_matcher
 *   rtbwire_vectorscan_scratch_create   once per scanner
 *   rtbwire_matcher_scanner_init        with that scratch
 *
 * These calls allocate from the heap; a scan does not.
 *
 * Expressions are PCRE as far as Vectorscan supports it: no back-references, look-around,
 * conditions or atomic groups. These rules apply:
 *
 *   - Case: ASCII letters match in either case. The text has no capital letters, so an expression
 *     that contains (?-i) is refused.
 *   - Bytes: one character is one byte, because the text need not be UTF-8. Letters beyond ASCII
 *     match as their bytes, in their own case only. Expressions that begin with (*UTF8) or (*UCP)
 *     are refused, and so are \Q and (?x).
 *   - "." is any byte, including a line feed. \s, \w, \d and \b are those of ASCII.
 *   - Strings: a match is within one key or value; in a malformed packet it may be anywhere. "."
 *     and [^x] can match 0xff, which marks the ends of strings. Such a match does not count, but a
 *     shorter one inside it does.
 *   - Anchors (^ $ \A \z \Z \G) are refused, because they would match the packet, not a string.
 *     For the bytes themselves write \^ and \$.
 *   - An expression that can match the empty string is refused.
 *
 * If an expression can begin to match at several positions, the first counts.
 *
 * Time: hs_scan does not backtrack and reads the text once. In addition, each position at which an
 * expression may end costs a call, so "a.*" costs more than "a.*b". Strings from the first to the
 * last one in which an expression may match are searched once more, for the begins of matches. */
#ifndef RTBWIRE_VECTORSCAN_H
#define RTBWIRE_VECTORSCAN_H

#include "rtbwire/scan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the literal of a pattern is. */
typedef enum rtbwire_pattern_kind {
  RTBWIRE_PATTERN_LITERAL = 0,   /* ASCII, of any length */
  RTBWIRE_PATTERN_EXPRESSION = 1 /* a regular expression, see above */
} rtbwire_pattern_kind;

#define RTBWIRE_VECTORSCAN_REASON_MAX 255

/* Why patterns are refused. */
typedef struct rtbwire_vectorscan_error {
  int pattern_known;
  size_t pattern;                                 /* its index, if known */
  char reason[RTBWIRE_VECTORSCAN_REASON_MAX + 1]; /* for people; begins with its id, if known */
} rtbwire_vectorscan_error;

typedef struct rtbwire_vectorscan rtbwire_vectorscan;
typedef struct rtbwire_vectorscan_scratch rtbwire_vectorscan_scratch;

/* Compiles patterns. kinds has one entry per pattern; if it is NULL, all are literals. patterns may
 * be freed after the call; verdicts use their indexes. error may be NULL. The result is
 * BAD_PATTERN with the reason in error, NO_ROOM if the heap is exhausted, or NO_KERNEL if
 * Vectorscan does not run on this processor. */
RTBWIRE_API rtbwire_status rtbwire_vectorscan_create(const rtbwire_pattern* patterns,
                                                     const rtbwire_pattern_kind* kinds,
                                                     size_t count, rtbwire_vectorscan_error* error,
                                                     rtbwire_vectorscan** created);
/* Frees v, which no engine may use any more. NULL is allowed. */
RTBWIRE_API void rtbwire_vectorscan_destroy(rtbwire_vectorscan* v);

/* Returns the matcher, which is valid as long as v. */
RTBWIRE_API const rtbwire_matcher* rtbwire_vectorscan_matcher(const rtbwire_vectorscan* v);
/* Returns the size of the compiled patterns in bytes. */
RTBWIRE_API size_t rtbwire_vectorscan_size(const rtbwire_vectorscan* v);

RTBWIRE_API rtbwire_status rtbwire_vectorscan_scratch_create(const rtbwire_vectorscan* v,
                                                             rtbwire_vectorscan_scratch** created);
RTBWIRE_API void rtbwire_vectorscan_scratch_destroy(rtbwire_vectorscan_scratch* scratch);

#ifdef __cplusplus
}
#endif

#endif
