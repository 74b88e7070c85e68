// Imported first and alone: on an old Node the other modules might not even parse.

/** Ends the process with one clear sentence where Node is older than package.json asks for. */
export function requireNode() {
  const parts = process.versions.node.split(".").map(Number);
  if (parts[0] > 20 || (parts[0] === 20 && parts[1] >= 19)) return;
  console.error(`Node.js 20.19 or newer is needed, and this is ${process.versions.node}.`);
  process.exit(1);
}
