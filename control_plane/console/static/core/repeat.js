/** Asks the API again and again, while somebody looks at the page. */

/**
 * Runs `work` every `ms`, one run at a time, until `signal` is aborted. A window in the background is
 * left alone, and so is a run that fails: the next one may succeed.
 */
export function repeat(work, ms, signal) {
  let isRunning = false;
  const timer = setInterval(async () => {
    if (isRunning || document.hidden) return;
    isRunning = true;
    try {
      await work();
    } catch (error) {
      if (error.status === 401 || error.status === 403) clearInterval(timer);
    } finally {
      isRunning = false;
    }
  }, ms);
  signal.addEventListener("abort", () => clearInterval(timer));
}
