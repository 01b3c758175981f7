// Package files is a source of streams, and their sink: files with one record on each line
// (NDJSON). A [Source] follows the files of a folder as they grow, appear and are rotated, and
// keeps its positions in a file. A [Sink] appends to a file.
//
//	source, err := files.NewSource(files.Options{Folder: "in", Positions: "state/positions.json"})
//	...
//	accepted, err := files.NewSink(files.SinkOptions{Path: "out/ok.ndjson"})
//	...
//	defer accepted.Close()
//	refused, err := files.NewSink(files.SinkOptions{Path: "out/refused.ndjson", Form: files.Objects})
//	...
//	s, err := stream.New(stream.Options{Source: source, Accepted: accepted, DeadLetters: refused})
//
// A file is a lane. Its records keep their order; files are independent of each other. Records are
// delivered at least once.
//
// # Which file is which
//
// A file is known again by its inode and the first [HeadMax] bytes that were read of it, whatever
// its name is; where there are no inodes, by its name and those bytes. So a file that is renamed is
// read to its end, a new file under the old name is read from its beginning, and an inode that is
// used again is noticed. Pattern decides about new files only: a known one is followed under any
// name in the folder. Let Pattern match the names of rotation too, as the default does, so that
// files are read that were renamed while nobody followed.
//
// A file that is shorter than what was read of it, or begins otherwise, was truncated or written
// anew (copytruncate of logrotate). It is read from its beginning, as another lane, and the log
// says so. What a truncated or deleted file held and was not delivered yet can't be read again
// after a crash. Copies that copytruncate leaves must not match Pattern.
//
// # The last line
//
// What follows the last newline of a file is half a line: it waits for its newline. Only when the
// file was rotated away (another file has its name, or it is gone from the folder) and has not
// grown for [Options.IdleAfter], its last line is complete without one.
//
//	options.go    Options, Source
//	session.go    one use of the folder: poll, read, close
//	scan.go       what the folder has, and which file is which
//	file.go       the lines of one file
//	positions.go  the file of positions
//	inode_*.go    what systems know a file by
//	metrics.go    what is measured
//	sink.go       Sink: groups of records, synced together
//	append.go     the file of a sink: torn lines, rotation
//	form.go       what a record looks like on a line
//	keys.go       the section stream.files of a configuration
package files
