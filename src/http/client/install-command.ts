/** The commands that install svc from this service. */

/** The configured address of the service, normalized, without a trailing slash. */
const addressOf = (baseUrl: string) => new URL(baseUrl).href.replace(/\/+$/, "");

/** The text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The command line that runs the installer, for macOS and Linux. */
export function installCommand(baseUrl: string): string {
  return `curl -fsSL ${shellWord(`${addressOf(baseUrl)}/cli/install.sh`)} | sh`;
}

/** The installer for this service. The address is the configured one: callers choose the `Host` header. */
export function installerFor(baseUrl: string, installer: string): string {
  return installer.replaceAll("@BASE_URL@", () => shellWord(addressOf(baseUrl)));
}
