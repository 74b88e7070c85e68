import type { Context } from "../../context.ts";
import { plainLine } from "../../terminal/table.ts";
import { labelled, minuteOf } from "./format.ts";
import type { presentConnection } from "./present.ts";

const statusStyles = { active: "green", failing: "yellow", blocked: "red", disconnecting: "yellow" } as const;

/** The state of a connection as lines with labels. */
export function connectionLines(
  { output: { paint } }: Context,
  connection: ReturnType<typeof presentConnection>,
): string[] {
  const { repository, branch, mode, status, problem, url, connectedBy, pending, retryAt } = connection;
  const { lastSyncAt, notified } = connection;
  const style = Object.hasOwn(statusStyles, status) ? statusStyles[status] : "yellow";
  const waiting = pending ? ", a sync is pending" : "";
  const rows: [string, string | undefined][] = [
    ["Repository", `${plainLine(repository)} (${plainLine(branch)})`],
    ["URL", plainLine(url)],
    ["Mode", mode === "pull_request" ? "pull_request: changes are proposed" : "push: changes are pushed"],
    ["Status", `${paint(style, plainLine(status))}${waiting}`],
    ["Problem", problem && plainLine(`${problem.message} (${problem.code})`)],
    ["Retry", retryAt === undefined ? undefined : minuteOf(retryAt)],
    ["Last sync", lastSyncAt === undefined ? "none yet" : minuteOf(lastSyncAt)],
    ["Pushes", notified ? "reported by the host" : "found by polling every few minutes"],
    ["Author", plainLine(`${connectedBy.name} (${connectedBy.username}), of imported versions`)],
  ];
  return labelled(rows);
}
