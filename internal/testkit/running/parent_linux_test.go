package running

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestEndWithParent kills a program that has started another one: that one ends too.
func TestEndWithParent(t *testing.T) {
	const parent = "RUNNING_PARENT"
	if os.Getenv(parent) != "" {
		child := exec.Command("sleep", "600")
		EndWithParent(child)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		fmt.Println(child.Process.Pid)
		_ = child.Wait()
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestEndWithParent$")
	cmd.Env = append(os.Environ(), parent+"=1")
	EndWithParent(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	stat := "/proc/" + strings.TrimSpace(line) + "/stat"
	runs := func() bool {
		text, err := os.ReadFile(stat)
		return err == nil && strings.Contains(string(text), "(sleep)") && !strings.Contains(string(text), ") Z ")
	}
	if !runs() {
		t.Fatalf("the child does not run: %s", line)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	WaitFor(t, time.Minute, "the child to end", func() bool { return !runs() })
}
