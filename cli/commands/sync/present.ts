/** Parts of the documents and texts that several sync commands share. */
import type {
  ConnectionPayload,
  ProposalPayload,
  RepositorySyncPayload,
  SyncConflictPayload,
} from "../../../contract/payloads/sync.ts";
import type { Organization } from "../../api/choose-organization.ts";
import type { Context } from "../../context.ts";
import { plainLine } from "../../table.ts";

/** A connection, as in JSON output: without the fields that have no value. */
export function presentConnection(connection: ConnectionPayload) {
  const { id, host, repository, url, branch, mode, status, connectedBy, notified, pending } = connection;
  const { problem, pendingSince, retryAt, lastCommit, lastSyncAt, createdAt } = connection;
  return {
    id,
    host,
    repository,
    url,
    branch,
    mode,
    status,
    ...(problem ? { problem: presentProblem(problem) } : {}),
    connectedBy: { name: connectedBy.name, username: connectedBy.username },
    notified,
    pending,
    ...(pendingSince ? { pendingSince } : {}),
    ...(retryAt ? { retryAt } : {}),
    ...(lastCommit ? { lastCommit } : {}),
    ...(lastSyncAt ? { lastSyncAt } : {}),
    createdAt,
  };
}

export function presentProblem({ code, message, at }: NonNullable<ConnectionPayload["problem"]>) {
  return { code, message, ...(at ? { at } : {}) };
}

export function presentProposal({ branch, state, message, number, url, skills }: ProposalPayload) {
  return { branch, state, message, ...(number === null ? {} : { number }), ...(url ? { url } : {}), skills };
}

export function presentSkillProblem({ skillId, path, problem }: RepositorySyncPayload["skillProblems"][0]) {
  return { path, ...(skillId ? { skillId } : {}), ...presentProblem(problem) };
}

/** A conflict with the commands that compare its versions and bring the overwritten one back. */
export function presentConflict(conflict: SyncConflictPayload, organization: Organization) {
  const { id, skillId, slug, path, winning, losing, commit, author, at } = conflict;
  return {
    id,
    skillId,
    ...(slug ? { slug } : {}),
    path,
    winning,
    losing,
    commit,
    ...(author ? { author } : {}),
    at,
    remedies: slug ? remediesOf(`${organization.slug}/${slug}`, conflict) : [],
  };
}

export type PresentedConflict = ReturnType<typeof presentConflict>;

function remediesOf(skill: string, { winning, losing }: SyncConflictPayload) {
  return [
    {
      action: `compare version ${losing}, which was current here, with version ${winning} of the repository`,
      command: `svc diff ${skill} ${losing} ${winning}`,
    },
    {
      action: `make version ${losing} current again; the next sync writes it to the repository`,
      command: `svc revert ${skill} --to ${losing}`,
    },
    {
      action: "publish a version that combines both",
      command: `svc push <path> --skill ${skill}`,
    },
  ];
}

/** Each conflict as a paragraph. */
export function conflictLines({ output: { paint } }: Context, conflicts: readonly PresentedConflict[]) {
  return conflicts.flatMap(({ path, winning, losing, author, at, remedies }) => {
    const by = author === undefined ? "" : `, by ${plainLine(author)}`;
    return [
      `${paint("bold", plainLine(path))}  version ${winning} of the repository${by} replaced version ${losing} ` +
        paint("dim", minuteOf(at)),
      ...(remedies.length === 0 ? ["  The skill was deleted: there is nothing to do."] : []),
      ...remedies.map(
        ({ action, command }) => `  ${paint("cyan", plainLine(command))}  ${paint("dim", action)}`,
      ),
    ];
  });
}

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

/** Rows with a value, as `Label:  value`. */
export function labelled(rows: readonly (readonly [string, string | undefined])[]): string[] {
  const width = Math.max(...rows.map(([label]) => label.length)) + 2;
  return rows.flatMap(([label, value]) =>
    value === undefined || value === "" ? [] : [`${`${label}:`.padEnd(width)}${value}`],
  );
}

/** A time of the service to the minute, in UTC. */
export function minuteOf(time: string): string {
  return plainLine(time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$/, "$1 $2 UTC"));
}

/** `1 skill`, `2 skills`. */
export function some(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
