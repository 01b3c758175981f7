/* Packet scanner: is this packet JSON, and does a string in it carry a malicious payload?
 *
 * An engine is compiled once from patterns. Nothing changes it afterwards, so all threads may
 * share it. A scanner belongs to one thread. Both are in memory that the caller owns. No function
 * here allocates, throws, recurses or keeps state elsewhere. A call uses at most 12 KB of stack,
 * plus what a matcher uses. */
#ifndef RTBWIRE_SCAN_H
#define RTBWIRE_SCAN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RTBWIRE_API __attribute__((visibility("default")))
#else
#define RTBWIRE_API
#endif

/* Instruction sets. RTBWIRE_KERNEL_BEST asks the processor. All give the same verdicts. */
typedef enum rtbwire_kernel {
  RTBWIRE_KERNEL_BEST = 0,
  RTBWIRE_KERNEL_SCALAR = 1,
  RTBWIRE_KERNEL_SSE42 = 2,
  RTBWIRE_KERNEL_AVX2 = 3,
  RTBWIRE_KERNEL_NEON = 4,
  RTBWIRE_KERNEL_AVX512 = 5
} rtbwire_kernel;

/* Values are stable. */
typedef enum rtbwire_outcome {
  RTBWIRE_CLEAN = 0,
  RTBWIRE_MALICIOUS = 1, /* a pattern was found; error says whether the packet is also malformed */
  RTBWIRE_MALFORMED = 2, /* not RFC 8259 JSON in UTF-8, but searched to its end */
  RTBWIRE_TOO_DEEP = 3,  /* nested deeper than depth_max, but searched to its end */
  RTBWIRE_TOO_LARGE = 4, /* longer than packet_max: not searched */
  RTBWIRE_EXHAUSTED = 5, /* does not fit in the scanner's memory: not searched */
  RTBWIRE_FAILED = 6     /* the engine's matcher failed before it found anything */
} rtbwire_outcome;

/* Why a packet is malformed. Values are stable. testdata/faults.json maps these to the codes of
 * the Go decoder, which have the same names. */
typedef enum rtbwire_error {
  RTBWIRE_ERROR_NONE = 0,
  RTBWIRE_ERROR_EMPTY = 1,     /* no value at all */
  RTBWIRE_ERROR_SYNTAX = 2,    /* RFC 8259 sections 2 and 3: no token may begin or continue here */
  RTBWIRE_ERROR_TRUNCATED = 3, /* the packet ends inside a value */
  RTBWIRE_ERROR_TRAILING = 4,  /* section 2: something other than white space follows the value */
  RTBWIRE_ERROR_BOM = 5,       /* section 8.1: the packet begins with a byte order mark */
  RTBWIRE_ERROR_CONTROL = 6,   /* section 7: an unescaped control character in a string */
  RTBWIRE_ERROR_ESCAPE = 7,    /* section 7: an escape sequence that does not exist */
  RTBWIRE_ERROR_UTF8 = 8,      /* section 8.1: bytes in a string that are not UTF-8 */
  RTBWIRE_ERROR_SURROGATE = 9, /* section 8.2: half of a surrogate pair */
  RTBWIRE_ERROR_NUMBER = 10,   /* section 6: not a JSON number */
  RTBWIRE_ERROR_DEPTH = 11     /* section 9: nested deeper than depth_max */
} rtbwire_error;

/* The result of a call that sets something up. */
typedef enum rtbwire_status {
  RTBWIRE_OK = 0,
  RTBWIRE_BAD_ARGUMENT = 1,
  RTBWIRE_NO_ROOM = 2,   /* the memory is too small */
  RTBWIRE_NO_KERNEL = 3, /* this processor does not have that instruction set */
  RTBWIRE_BAD_PATTERN = 4
} rtbwire_status;

/* A literal. It is searched in decoded keys and values, ignoring ASCII case. Of a malformed packet
 * all bytes are searched, because it is not known which are in strings. */
typedef struct rtbwire_pattern {
  const char* id;      /* stable name, "xss.script-tag" */
  const char* literal; /* NUL-terminated, ASCII */
  const char* why;     /* what it indicates */
} rtbwire_pattern;

/* Further decodings to search after the plain text, as a bit set. */
enum {
  RTBWIRE_LAYER_PERCENT = 1u << 0,   /* %3cscript */
  RTBWIRE_LAYER_ENTITY = 1u << 1,    /* &lt;script, &#60;script, &#x3c;script */
  RTBWIRE_LAYER_FULLWIDTH = 1u << 2, /* U+FF1C and its neighbours */
  RTBWIRE_LAYER_TWICE = 1u << 3,     /* \\u003cscript: JSON inside JSON */
  RTBWIRE_LAYER_SQUEEZE = 1u << 4, /* white space, NUL and comments: a run is one space, or none */
  RTBWIRE_LAYER_ALL = (1u << 5) - 1
};

/* 0 is the default of every field. */
typedef struct rtbwire_engine_options {
  rtbwire_kernel kernel;
  uint32_t layers;
} rtbwire_engine_options;

typedef enum rtbwire_mode {
  RTBWIRE_STRICT = 0, /* checks RFC 8259 and UTF-8, and searches patterns */
  RTBWIRE_DETECT = 1  /* only searches patterns */
} rtbwire_mode;

typedef struct rtbwire_scanner_options {
  rtbwire_mode mode;
  uint32_t packet_max; /* bytes; 0 means 65,535 */
  uint32_t depth_max;  /* levels; 0 means 256 */
} rtbwire_scanner_options;

#define RTBWIRE_POINTER_MAX 159 /* bytes of a JSON Pointer; a longer one is cut */
#define RTBWIRE_PATTERNS_MAX 16 /* patterns that one verdict lists */

/* Limits of the patterns of an engine. */
#define RTBWIRE_LITERAL_MAX 64 /* bytes of one literal; at least one */
#define RTBWIRE_ENGINE_PATTERNS_MAX 4096
#define RTBWIRE_ENGINE_BYTES_MAX 65534 /* bytes of all literals together */

/* A verdict holds only copies, so it outlives packet, scanner and engine. pattern and the members
 * named match_ and pointer_ describe the first match: the leftmost, and of several there the one
 * with the lowest index. It is searched in the plain text first, then in the text of each layer.
 * patterns lists all that occur in any of these texts. */
typedef struct rtbwire_verdict {
  rtbwire_outcome outcome;
  rtbwire_error error;    /* NONE if the packet is valid JSON, or if mode is detect */
  uint32_t error_offset;  /* first byte that could not be accepted; of an escape that is half of a
                             surrogate pair, and of bytes that are not UTF-8, the first byte */
  uint32_t pattern;       /* index into the engine's patterns, if MALICIOUS */
  uint32_t pattern_count; /* different patterns that occur; may exceed RTBWIRE_PATTERNS_MAX */
  uint32_t match_offset;  /* first byte of the match in the packet; of an escape, its backslash */
  uint8_t match_layered;  /* found only after a further decoding */
  uint8_t match_in_key;
  uint8_t pointer_known;     /* the packet is JSON up to the match, and pointer is set */
  uint8_t pointer_truncated; /* cut to RTBWIRE_POINTER_MAX bytes */
  char pointer[RTBWIRE_POINTER_MAX + 1]; /* RFC 6901, NUL-terminated, escapes as in the packet */
  /* The lowest indexes of patterns that occur, in ascending order; pattern_count of them are set.
   */
  uint16_t patterns[RTBWIRE_PATTERNS_MAX];
} rtbwire_verdict;

typedef struct rtbwire_bytes {
  const void* data;
  size_t size;
} rtbwire_bytes;

typedef struct rtbwire_engine rtbwire_engine;
typedef struct rtbwire_scanner rtbwire_scanner;

/* Returns patterns for XSS, SQL, template and command injection, and sets *count. */
RTBWIRE_API const rtbwire_pattern* rtbwire_default_patterns(size_t* count);

/* Returns the bytes that rtbwire_engine_init needs for these patterns; 0 if it would refuse them
 * because of a limit above or a byte above 0x7f. */
RTBWIRE_API size_t rtbwire_engine_memory(const rtbwire_pattern* patterns, size_t count);

/* Compiles an engine into memory, which must not move or change while the engine is in use.
 * patterns may be freed after the call. options may be NULL. */
RTBWIRE_API rtbwire_status rtbwire_engine_init(void* memory, size_t size,
                                               const rtbwire_pattern* patterns, size_t count,
                                               const rtbwire_engine_options* options,
                                               const rtbwire_engine** engine);
RTBWIRE_API rtbwire_kernel rtbwire_engine_kernel(const rtbwire_engine* engine);

/* Returns the bytes with which no packet up to packet_max has the outcome EXHAUSTED. */
RTBWIRE_API size_t rtbwire_scanner_memory(const rtbwire_scanner_options* options);

/* Makes a scanner in memory. Less memory than rtbwire_scanner_memory returns is allowed; packets
 * that do not fit then have the outcome EXHAUSTED. options may be NULL. */
RTBWIRE_API rtbwire_status rtbwire_scanner_init(void* memory, size_t size,
                                                const rtbwire_engine* engine,
                                                const rtbwire_scanner_options* options,
                                                rtbwire_scanner** scanner);

/* Scans one packet. If scanner is NULL the outcome is EXHAUSTED. The packet is read only during
 * the call and never written; it needs no padding and no terminator. */
RTBWIRE_API void rtbwire_scan(rtbwire_scanner* scanner, const void* packet, size_t size,
                              rtbwire_verdict* verdict);
RTBWIRE_API void rtbwire_scan_batch(rtbwire_scanner* scanner, const rtbwire_bytes* packets,
                                    size_t count, rtbwire_verdict* verdicts);

/* ---- matchers ----
 *
 * Instead of patterns an engine may have a matcher: a function that searches one text at a time.
 * A text is a whole packet, decoded, with ASCII letters in lower case and a byte 0xff for each
 * quote that is not escaped; with layers, the matcher also gets the text of each layer. The rest
 * of a verdict follows from what the matcher reports: first match, offset, JSON Pointer, and all
 * patterns that occur. rtbwire/vectorscan.h has a matcher. */

#define RTBWIRE_MATCHER_PATTERNS_MAX 16384 /* patterns of a matcher */

/* Reports a match of pattern that begins at begin. A matcher reports for each pattern at least
 * the first match, in any order and as often as it likes. It must not report a match that contains
 * 0xff, because that spans two strings. Impossible values count as a failure of the matcher. */
typedef void (*rtbwire_report)(void* found, uint32_t pattern, size_t begin);

/* Copied into the engine. All threads may call search at the same time, each with the scratch of
 * its scanner. search returns 0 if it searched the text to its end. Otherwise the outcome is
 * RTBWIRE_FAILED, unless a match was reported before. It must not throw, and should take time
 * proportional to size. */
typedef struct rtbwire_matcher {
  const void* context;
  uint32_t pattern_count;
  int (*search)(const void* context, void* scratch, const void* text, size_t size,
                rtbwire_report report, void* found);
} rtbwire_matcher;

/* The same as rtbwire_engine_memory, rtbwire_engine_init and rtbwire_scanner_init, with a matcher
 * instead of patterns. Each search of this scanner gets scratch; if the matcher writes to it, no
 * two scanners may share one. rtbwire_scanner_init refuses an engine with a matcher. */
RTBWIRE_API size_t rtbwire_matcher_engine_memory(void);
RTBWIRE_API rtbwire_status rtbwire_matcher_engine_init(void* memory, size_t size,
                                                       const rtbwire_matcher* matcher,
                                                       const rtbwire_engine_options* options,
                                                       const rtbwire_engine** engine);
RTBWIRE_API rtbwire_status rtbwire_matcher_scanner_init(void* memory, size_t size,
                                                        const rtbwire_engine* engine, void* scratch,
                                                        const rtbwire_scanner_options* options,
                                                        rtbwire_scanner** scanner);

/* Returns whether a gateway should drop the packet: if it is malicious and, with fail_closed, also
 * if it is malformed, too deep or too large or could not be scanned. */
RTBWIRE_API int rtbwire_refuse(const rtbwire_verdict* verdict, int fail_closed);

/* Returns the most memory that one packet has used so far, in bytes. */
RTBWIRE_API size_t rtbwire_scanner_peak(const rtbwire_scanner* scanner);

/* Names for people and logs: "avx2", "malformed", "syntax". */
RTBWIRE_API const char* rtbwire_kernel_name(rtbwire_kernel kernel);
RTBWIRE_API const char* rtbwire_outcome_name(rtbwire_outcome outcome);
RTBWIRE_API const char* rtbwire_error_name(rtbwire_error error);
RTBWIRE_API int rtbwire_kernel_usable(rtbwire_kernel kernel);

#ifdef __cplusplus
}
#endif

#endif
