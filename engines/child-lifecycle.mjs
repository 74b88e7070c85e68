// The child's side of supervised-child.ts, shared by both engine processes.

/**
 * Sends a message to the parent; resolves once it is sent, or immediately if the parent has ended.
 *
 * @param {{ type: "ready", openMs: number } | { type: "failed", code: string, message: string }} message
 * @returns {Promise<void>}
 */
export function tellParent(message) {
  return new Promise((done) => {
    if (process.connected) process.send(message, () => done());
    else done();
  });
}

/**
 * Reports the reason why the engine can't serve, and ends the process.
 *
 * @param {string} code one of the codes of engine-error.ts
 * @param {string} message
 */
export async function giveUp(code, message) {
  await tellParent({ type: "failed", code, message });
  process.exit(code === "BUSY" ? 75 : 70);
}

/**
 * Ends the process through `close` on SIGTERM and when the parent ends for any reason.
 *
 * @param {() => Promise<void>} close finishes work in progress and releases the data folder
 */
export function endWithParent(close) {
  let isEnding = false;
  const end = async () => {
    if (isEnding) return;
    isEnding = true;
    try {
      await close();
    } catch (error) {
      console.error(`closing failed: ${error.message}`);
      process.exit(1);
    }
    process.exit(0);
  };
  process.on("SIGTERM", () => void end());
  process.on("disconnect", () => void end());
  // Ctrl-C reaches the whole process group; the parent decides.
  process.on("SIGINT", () => {});
  process.on("SIGHUP", () => {});
  // The parent may have ended before this line was reached; no event follows in that case.
  if (!process.connected) process.exit(0);
}
