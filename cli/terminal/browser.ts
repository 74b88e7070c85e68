/** Opens a page in the user's browser. Reports no errors: the caller has printed the address. */
export async function openBrowser(url: string): Promise<void> {
  try {
    const { default: open } = await import("open");
    const child = await open(url);
    // Without a browser the command fails later, and the address on the screen is enough.
    child.on("error", () => undefined);
    child.unref();
  } catch {
    return;
  }
}
