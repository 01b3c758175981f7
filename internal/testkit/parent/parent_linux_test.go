package parent

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestEndWith kills a program that has started another one: the other one ends too.
func TestEndWith(t *testing.T) {
	if os.Getenv("TEST_PARENT") != "" { // the program in the middle
		child := exec.Command("sleep", "60")
		EndWith(child)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("child " + strconv.Itoa(child.Process.Pid) + "\n")
		_ = child.Wait()
		return
	}
	middle := exec.Command(os.Args[0], "-test.run", "^TestEndWith$")
	middle.Env = append(os.Environ(), "TEST_PARENT=1")
	out, err := middle.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := middle.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	pid, number := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "child ")))
	if err != nil || number != nil {
		t.Fatalf("%q: %v, %v", line, err, number)
	}
	if err := middle.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = middle.Wait()
	for end := time.Now().Add(time.Minute); syscall.Kill(pid, 0) == nil && !zombie(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatal("the program that was started is still there")
		}
	}
}

// zombie reports whether a program has ended, and nobody has asked how: some containers have
// nobody who does.
func zombie(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || strings.Contains(string(text), ") Z ")
}
