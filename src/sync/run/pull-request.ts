/** The pull request of a connection: its text, and updates of the open request. */
import { RepoError } from "../../../repos/errors.ts";
import type { PullRequest, PullRequests } from "../../../repos/hosts/host.ts";
import type { ProposedRequest } from "../../../storage/sync/proposals.ts";
import { SyncBlocked } from "../connection/sync-blocked.ts";
import type { LocatedSkill } from "../content/export/exported.ts";
import { titleOf, type SkillExport } from "../content/export/plan-export.ts";

export interface RequestText {
  title: string;
  body: string;
}

const listedSkills = 100;
const titleCharacters = 200;

/** Title and body, with the directories that the request writes and removes, in the order of their paths. */
export function requestText(
  steps: readonly SkillExport[],
  skills: ReadonlyMap<string, Pick<LocatedSkill, "current">>,
): RequestText {
  const lines = steps.map(({ skillId, put, remove }) => {
    if (!put) return { path: remove[0] ?? "", text: `${remove.map(code).join(", ")} is removed` };
    const from = put.from === undefined ? "" : `${code(put.from)} becomes `;
    const semver = skills.get(skillId)?.current.semver;
    return {
      path: put.path,
      text: `${from}${code(put.path)}${semver === undefined ? "" : ` ${code(semver)}`}`,
    };
  });
  lines.sort((a, b) => (a.path < b.path ? -1 : 1));
  const shown = lines.slice(0, listedSkills).map(({ text }) => `- ${text}\n`);
  const rest = lines.length - shown.length;
  const more = rest > 0 ? `- and ${rest} more\n` : "";
  return {
    title: titleOf(steps).slice(0, titleCharacters),
    body:
      "Changes from the skill registry. This request is kept up to date until it is merged or " +
      `closed.\n\n${shown.join("")}${more}\n` +
      "A commit that you add to its branch becomes a new version once it is merged; " +
      "until then the branch is left as it is.\n",
  };
}

/** Paths and versions come from users: in a code span they mention no one and link to nothing. */
function code(text: string): string {
  return `\`${text.replace(/[`\p{Cc}]/gu, "'")}\``;
}

/**
 * Opens a request, or updates title and body of the open one, unless someone has edited them. `note` stores the new
 * text before it is sent.
 */
export async function keepRequest(
  pulls: PullRequests,
  between: { from: string; to: string },
  given: {
    request: PullRequest | undefined;
    text: RequestText;
    written: readonly RequestText[];
    note: (written: RequestText[]) => Promise<void>;
  },
): Promise<ProposedRequest> {
  const { request, text, written, note } = given;
  if (request?.state !== "open") {
    await note([text]);
    const { number, url, state } = await pulls.open({ ...between, ...text });
    return { number, url, state };
  }
  const change: Partial<RequestText> = {};
  for (const part of ["title", "body"] as const)
    if (request[part] !== text[part] && written.some((one) => one[part] === request[part]))
      change[part] = text[part];
  if (Object.keys(change).length > 0) {
    const last = written.at(-1);
    await note([...(last ? [last] : []), text]);
    await pulls.update(request.number, change);
  }
  const { number, url, state } = request;
  return { number, url, state };
}

/** Closes a request. Someone else may have closed it concurrently. */
export async function closeRequest(
  pulls: PullRequests,
  between: { from: string; to: string },
  { number }: { number: number },
): Promise<void> {
  try {
    await pulls.close(number);
  } catch (error) {
    const isRefused = error instanceof RepoError && error.code === "remote_protocol";
    if (!isRefused || (await pulls.find(between))?.state === "open") throw error;
  }
}

/** The error of a sync that can't read or write pull requests. */
export function requestProblem(error: RepoError): Error {
  if (error.retryable) return error;
  return new SyncBlocked(
    "pull_requests_denied",
    `${error.message} The branch of the proposal is up to date.`,
  );
}
