/* Packet scanner: is this packet JSON, and does a string in it carry a malicious payload?
 *
 * An engine is compiled once from patterns and may be shared by all threads: nothing
 * changes it afterwards. A scanner belongs to one thread. Both live in memory the caller
 * owns; no function here allocates, throws, recurses or keeps state anywhere else. A call
 * takes at most 12 KB of stack, what a matcher takes aside. */
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

/* Instruction sets. RTBWIRE_KERNEL_BEST asks the processor; all give the same verdicts. */
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
  RTBWIRE_MALICIOUS = 1, /* a pattern was found; error says whether the packet is malformed too */
  RTBWIRE_MALFORMED = 2, /* not RFC 8259 JSON in UTF-8; scanned to its end all the same */
  RTBWIRE_TOO_DEEP = 3,  /* more nesting than depth_max; scanned to its end all the same */
  RTBWIRE_TOO_LARGE = 4, /* longer than packet_max: not scanned */
  RTBWIRE_EXHAUSTED = 5, /* the scanner's memory does not hold this packet: not scanned */
  RTBWIRE_FAILED = 6     /* the engine's matcher failed, and had found nothing: not scanned to its end */
} rtbwire_outcome;

/* Why a packet is malformed. Values are stable. */
typedef enum rtbwire_error {
  RTBWIRE_ERROR_NONE = 0,
  RTBWIRE_ERROR_TRUNCATED = 1,       /* the packet ends inside a value, or is empty */
  RTBWIRE_ERROR_UNEXPECTED_BYTE = 2, /* RFC 8259 section 2: no such token here */
  RTBWIRE_ERROR_TRAILING_BYTES = 3,  /* something follows the value */
  RTBWIRE_ERROR_NUMBER = 4,          /* section 6 */
  RTBWIRE_ERROR_LITERAL = 5,         /* section 3: neither true, false nor null */
  RTBWIRE_ERROR_CONTROL = 6,         /* section 7: a raw control character in a string */
  RTBWIRE_ERROR_ESCAPE = 7,          /* section 7: no such escape */
  RTBWIRE_ERROR_SURROGATE = 8,       /* section 8.2: half of a surrogate pair */
  RTBWIRE_ERROR_UTF8 = 9,            /* section 8.1 */
  RTBWIRE_ERROR_DEPTH = 10           /* section 9: our limit on nesting */
} rtbwire_error;

/* What a call that sets something up answers. */
typedef enum rtbwire_status {
  RTBWIRE_OK = 0,
  RTBWIRE_BAD_ARGUMENT = 1,
  RTBWIRE_NO_ROOM = 2,   /* the memory is too small */
  RTBWIRE_NO_KERNEL = 3, /* this processor does not have that instruction set */
  RTBWIRE_BAD_PATTERN = 4
} rtbwire_status;

/* A literal, matched without regard to ASCII case in decoded keys and values. In a packet that
 * is malformed nobody knows what is in a string, and all of it is searched. */
typedef struct rtbwire_pattern {
  const char* id;      /* stable name, "xss.script-tag" */
  const char* literal; /* NUL-terminated, ASCII */
  const char* why;     /* what it is a sign of */
} rtbwire_pattern;

/* Further decodings that are tried after the plain one, as a bit set. */
enum {
  RTBWIRE_LAYER_PERCENT = 1u << 0,   /* %3cscript */
  RTBWIRE_LAYER_ENTITY = 1u << 1,    /* &lt;script, &#60;script, &#x3c;script */
  RTBWIRE_LAYER_FULLWIDTH = 1u << 2, /* U+FF1C and its neighbours */
  RTBWIRE_LAYER_TWICE = 1u << 3,     /* \\u003cscript: JSON inside JSON */
  RTBWIRE_LAYER_SQUEEZE = 1u << 4,   /* runs of white space, NUL and comments as one space, or none */
  RTBWIRE_LAYER_ALL = (1u << 5) - 1
};

/* Zero is the default of every field. */
typedef struct rtbwire_engine_options {
  rtbwire_kernel kernel;
  uint32_t layers;
} rtbwire_engine_options;

typedef enum rtbwire_mode {
  RTBWIRE_STRICT = 0, /* verdict on RFC 8259 and UTF-8, and patterns */
  RTBWIRE_DETECT = 1  /* patterns only */
} rtbwire_mode;

typedef struct rtbwire_scanner_options {
  rtbwire_mode mode;
  uint32_t packet_max; /* bytes; 0 means 65,535 */
  uint32_t depth_max;  /* levels; 0 means 256 */
} rtbwire_scanner_options;

#define RTBWIRE_POINTER_MAX 159 /* longest JSON Pointer that is reported whole */
#define RTBWIRE_PATTERNS_MAX 16 /* most patterns that one verdict names */

/* Limits of what an engine is compiled from. */
#define RTBWIRE_LITERAL_MAX 64          /* bytes of one literal, one at least */
#define RTBWIRE_ENGINE_PATTERNS_MAX 4096
#define RTBWIRE_ENGINE_BYTES_MAX 65534  /* bytes of all literals together */

/* A verdict holds copies only and outlives packet, scanner and engine. pattern and what is
 * named match_ and pointer_ are about the first match: the leftmost, of those the one with the
 * lowest index, in the plain text if there is one, else in the first layer's that has one.
 * patterns are all that occur in the packet, in the plain text or in that of any layer. */
typedef struct rtbwire_verdict {
  rtbwire_outcome outcome;
  rtbwire_error error;    /* NONE where the packet is well-formed, or mode is detect */
  uint32_t error_offset;  /* first byte that could not be accepted */
  uint32_t pattern;       /* index into the engine's patterns, when MALICIOUS */
  uint32_t pattern_count; /* different patterns that occur; may be above RTBWIRE_PATTERNS_MAX */
  uint32_t match_offset;  /* first raw byte of the match, an escape's backslash included */
  uint8_t match_layered;  /* found after a further decoding only */
  uint8_t match_in_key;
  uint8_t pointer_known;     /* the text up to the match is JSON, and pointer is set */
  uint8_t pointer_truncated; /* cut to RTBWIRE_POINTER_MAX bytes */
  char pointer[RTBWIRE_POINTER_MAX + 1]; /* RFC 6901, NUL-terminated, escapes as in the packet */
  /* The lowest indexes of patterns that occur, ascending; set as far as pattern_count says. */
  uint16_t patterns[RTBWIRE_PATTERNS_MAX];
} rtbwire_verdict;

typedef struct rtbwire_bytes {
  const void* data;
  size_t size;
} rtbwire_bytes;

typedef struct rtbwire_engine rtbwire_engine;
typedef struct rtbwire_scanner rtbwire_scanner;

/* Patterns for XSS, SQL, template and command injection. *count is set. */
RTBWIRE_API const rtbwire_pattern* rtbwire_default_patterns(size_t* count);

/* Bytes that rtbwire_engine_init needs for these patterns; 0 when it would refuse them, because
 * of one of the limits above or a byte above 0x7f. */
RTBWIRE_API size_t rtbwire_engine_memory(const rtbwire_pattern* patterns, size_t count);

/* Compiles an engine into memory, which has to stay in place and unchanged as long as the
 * engine is used. patterns may go away; ids are the caller's to keep. options may be NULL. */
RTBWIRE_API rtbwire_status rtbwire_engine_init(void* memory, size_t size,
                                               const rtbwire_pattern* patterns, size_t count,
                                               const rtbwire_engine_options* options,
                                               const rtbwire_engine** engine);
RTBWIRE_API rtbwire_kernel rtbwire_engine_kernel(const rtbwire_engine* engine);

/* Bytes with which no packet up to packet_max is ever answered with EXHAUSTED. */
RTBWIRE_API size_t rtbwire_scanner_memory(const rtbwire_scanner_options* options);

/* Puts a scanner into memory. Less memory than rtbwire_scanner_memory is allowed: packets
 * that do not fit are answered with EXHAUSTED. options may be NULL. */
RTBWIRE_API rtbwire_status rtbwire_scanner_init(void* memory, size_t size,
                                                const rtbwire_engine* engine,
                                                const rtbwire_scanner_options* options,
                                                rtbwire_scanner** scanner);

/* Scans one packet; without a scanner the answer is EXHAUSTED. It is read only while the call runs and never written to; it needs no
 * padding and no terminator. */
RTBWIRE_API void rtbwire_scan(rtbwire_scanner* scanner, const void* packet, size_t size,
                              rtbwire_verdict* verdict);
RTBWIRE_API void rtbwire_scan_batch(rtbwire_scanner* scanner, const rtbwire_bytes* packets,
                                    size_t count, rtbwire_verdict* verdicts);

/* ---- a search of another kind ----
 *
 * Instead of patterns an engine may have a matcher: a function that searches a text. It gets
 * what the built-in search gets, one text at a time: the whole packet, decoded, in one piece
 * (with layers also what they make of it), with the ASCII letters in lower case and a byte
 * 0xff for each quote that is not escaped. All else follows from what it reports: the first
 * match, offset, JSON Pointer, all patterns that occur. rtbwire/vectorscan.h has one. */

#define RTBWIRE_MATCHER_PATTERNS_MAX 16384 /* most patterns of a matcher */

/* To be called for every pattern with the begins of all its matches, or at least the first of
 * them, in any order and as often as one likes. A match that contains 0xff spans two strings:
 * it must not be reported. A pattern or a begin that can not be is a failure of the matcher. */
typedef void (*rtbwire_report)(void* found, uint32_t pattern, size_t begin);

/* Copied into the engine. search may be called by all threads at a time, each with the scratch
 * of its scanner. 0 says that the text was searched to its end; anything else is the outcome
 * RTBWIRE_FAILED, unless a match was reported before: then that stands. It must not throw, and
 * should take time in proportion to size. */
typedef struct rtbwire_matcher {
  const void* context;
  uint32_t pattern_count;
  int (*search)(const void* context, void* scratch, const void* text, size_t size, rtbwire_report report, void* found);
} rtbwire_matcher;

/* The same as rtbwire_engine_memory, _engine_init and _scanner_init, with a matcher for patterns.
 * scratch is handed to each search of this scanner. Where the matcher writes to it, no other
 * scanner may have the same. rtbwire_scanner_init refuses an engine with a matcher. */
RTBWIRE_API size_t rtbwire_matcher_engine_memory(void);
RTBWIRE_API rtbwire_status rtbwire_matcher_engine_init(void* memory, size_t size,
                                                       const rtbwire_matcher* matcher,
                                                       const rtbwire_engine_options* options,
                                                       const rtbwire_engine** engine);
RTBWIRE_API rtbwire_status rtbwire_matcher_scanner_init(void* memory, size_t size,
                                                        const rtbwire_engine* engine, void* scratch,
                                                        const rtbwire_scanner_options* options,
                                                        rtbwire_scanner** scanner);

/* Whether a gateway should drop the packet: always when malicious; with fail_closed also
 * when it is malformed, too deep, too large or could not be scanned. */
RTBWIRE_API int rtbwire_refuse(const rtbwire_verdict* verdict, int fail_closed);

/* The most memory that one packet took so far, in bytes. */
RTBWIRE_API size_t rtbwire_scanner_peak(const rtbwire_scanner* scanner);

RTBWIRE_API const char* rtbwire_kernel_name(rtbwire_kernel kernel);
RTBWIRE_API const char* rtbwire_outcome_name(rtbwire_outcome outcome);
RTBWIRE_API const char* rtbwire_error_name(rtbwire_error error);
RTBWIRE_API int rtbwire_kernel_usable(rtbwire_kernel kernel);

#ifdef __cplusplus
}
#endif

#endif
