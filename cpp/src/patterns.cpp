// The default patterns. payload/patterns.json is the same list for people and for other
// languages; a test compares the two.
//
// A literal is here when it has no business in a bid request as a value and is hard to avoid
// for the attack: letters in lower case, no white space that could be written otherwise.
#include "rtbwire/scan.h"

namespace {

constexpr rtbwire_pattern patterns[] = {
    {"xss.script-tag", "<script", "opens a script element"},
    {"xss.script-end", "</script", "ends a script element, to break out of one"},
    {"xss.iframe-tag", "<iframe", "loads a foreign page"},
    {"xss.object-tag", "<object", "loads a plug-in"},
    {"xss.embed-tag", "<embed", "loads a plug-in"},
    {"xss.svg-tag", "<svg/on", "event handler on an SVG element without white space"},
    {"xss.svg-onload", "<svg onload", "event handler on an SVG element"},
    {"xss.img-onerror", "<img src=x", "image made to fail, so that onerror runs"},
    {"xss.body-onload", "<body onload", "event handler on the body"},
    {"xss.base-href", "<base href", "moves all relative addresses"},
    {"xss.meta-refresh", "<meta http-equiv", "redirects the page"},
    {"xss.onerror", "onerror=", "event handler"},
    {"xss.onload", "onload=", "event handler"},
    {"xss.onmouseover", "onmouseover=", "event handler"},
    {"xss.onfocus", "onfocus=", "event handler"},
    {"xss.onclick", "onclick=", "event handler"},
    {"xss.ontoggle", "ontoggle=", "event handler"},
    {"xss.javascript-url", "javascript:", "address that is a program"},
    {"xss.vbscript-url", "vbscript:", "address that is a program"},
    {"xss.data-html-url", "data:text/html", "address that is a page"},
    {"xss.document-cookie", "document.cookie", "reads the session"},
    {"xss.document-write", "document.write(", "rewrites the page"},
    {"xss.from-char-code", "string.fromcharcode(", "hides a program in numbers"},
    {"xss.alert", "alert(", "the usual proof of concept"},
    {"xss.srcdoc", "srcdoc=", "page inside an attribute"},
    {"sql.union-select", "union select", "appends a second query"},
    {"sql.union-all-select", "union all select", "appends a second query"},
    {"sql.or-1-1", "' or '1'='1", "condition that is always true"},
    {"sql.or-1-1-bare", "' or 1=1", "condition that is always true"},
    {"sql.drop-table", "; drop table", "second statement"},
    {"sql.drop-table-tight", ";drop table", "second statement"},
    {"sql.insert-into", "; insert into", "second statement"},
    {"sql.information-schema", "information_schema.", "reads the names of tables"},
    {"sql.xp-cmdshell", "xp_cmdshell", "runs a command from SQL Server"},
    {"sql.sleep", "sleep(", "tells true from false by time"},
    {"sql.benchmark", "benchmark(", "tells true from false by time"},
    {"sql.waitfor", "waitfor delay", "tells true from false by time"},
    {"sql.load-file", "load_file(", "reads a file through MySQL"},
    {"sql.into-outfile", "into outfile", "writes a file through MySQL"},
    {"template.jndi", "${jndi:", "look-up that loads code (Log4j)"},
    {"template.jinja-seven", "{{7*7}}", "the usual probe of template engines"},
    {"template.el-seven", "${7*7}", "the usual probe of expression languages"},
    {"template.class-mro", "__class__.__mro__", "walks from a Python template to the interpreter"},
    {"template.erb", "<%= ", "embedded Ruby"},
    {"template.php", "<?php", "embedded PHP"},
    {"command.etc-passwd", "/etc/passwd", "the usual file to prove that files can be read"},
    {"command.cat-etc", "cat /etc/", "reads system files"},
    {"command.bin-sh", "/bin/sh", "runs a shell"},
    {"command.bin-bash", "/bin/bash", "runs a shell"},
    {"command.wget", "wget http", "fetches a program"},
    {"command.curl", "curl http", "fetches a program"},
    {"command.powershell", "powershell -", "runs a shell"},
    {"command.cmd-exe", "cmd.exe /c", "runs a shell"},
    {"command.whoami", ";whoami", "the usual probe"},
};

}  // namespace

const rtbwire_pattern* rtbwire_default_patterns(size_t* count) {
  *count = sizeof patterns / sizeof *patterns;
  return patterns;
}
