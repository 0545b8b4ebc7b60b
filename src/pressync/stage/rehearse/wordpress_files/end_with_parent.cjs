// Node loads this file first. The pipe of standard input closes when pressync ends, also when it is killed.
if (require("worker_threads").isMainThread) {
  const end = () => process.exit(0);
  process.stdin.on("end", end).on("error", end).resume();
  // Programs that npm starts for a moment must not wait for the pipe.
  if (process.stdin.unref) process.stdin.unref();
}
