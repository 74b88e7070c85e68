import type { ConnectInput, Connection } from "../../api/organization/sync.ts";
import type { Host } from "./hosts.ts";

/** The user's input in the wizard, for all hosts. */
export interface Draft {
  host: Host;
  mode: Connection["mode"];
  repository?: string;
  url?: string;
  branch?: string;
  token?: string;
  username?: string;
  password?: string;
}

/** The body of the call; fields of another host and empty ones are left out. */
export function inputOf({
  host,
  mode,
  repository,
  url,
  branch,
  token,
  username,
  password,
}: Draft): ConnectInput {
  const shared = { mode, ...filled({ branch }) };
  if (host === "local") return { host, url: url?.trim() ?? "", ...shared, ...filled({ username, password }) };
  const name = { repository: repository?.trim() ?? "" };
  return host === "github-app"
    ? { host, ...name, ...shared }
    : { host, ...name, token: token?.trim() ?? "", ...shared };
}

function filled(values: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const text = value?.trim() ?? "";
      return text === "" ? [] : [[name, text]];
    }),
  );
}
