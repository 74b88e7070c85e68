/** The pull request of a connection: its words, and keeping the one that is open in step with what is proposed. */
import { RepoError } from "../../repos/errors.ts";
import type { PullRequest, PullRequests } from "../../repos/hosts/host.ts";
import type { ProposedRequest } from "../../storage/sync-proposals.ts";
import type { PlacedSkill } from "./exported.ts";
import { titleOf, type SkillExport } from "./plan-export.ts";
import { SyncBlocked } from "./work.ts";

export interface RequestWords {
  title: string;
  body: string;
}

const listedSkills = 100;
const titleCharacters = 200;

/** Title and body: which directories it writes and removes, in the order of their paths. */
export function wordsOf(
  steps: readonly SkillExport[],
  skills: ReadonlyMap<string, Pick<PlacedSkill, "current">>,
): RequestWords {
  const lines = steps.map(({ skillId, put, remove }) => {
    if (!put) return { path: remove[0] ?? "", text: `${remove.map(code).join(", ")} is taken out` };
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
      `Changes from the skill registry. This request is kept up to date until it is merged or closed.\n\n${shown.join("")}${more}\n` +
      "A commit that you add to its branch becomes a new version once it is merged; until then the branch is left as it is.\n",
  };
}

/** Names are somebody's: in a code span nobody is mentioned and nothing is linked. */
function code(text: string): string {
  return `\`${text.replace(/[`\p{Cc}]/gu, "'")}\``;
}

/**
 * Opens a request, or brings the words of the open one up to date: those that we wrote, not those that somebody changed.
 * `note` keeps the new words before they are sent.
 */
export async function keepRequest(
  pulls: PullRequests,
  between: { from: string; to: string },
  given: {
    request: PullRequest | undefined;
    words: RequestWords;
    written: readonly RequestWords[];
    note: (written: RequestWords[]) => Promise<void>;
  },
): Promise<ProposedRequest> {
  const { request, words, written, note } = given;
  if (request?.state !== "open") {
    await note([words]);
    const { number, url, state } = await pulls.open({ ...between, ...words });
    return { number, url, state };
  }
  const change: Partial<RequestWords> = {};
  for (const part of ["title", "body"] as const)
    if (request[part] !== words[part] && written.some((one) => one[part] === request[part]))
      change[part] = words[part];
  if (Object.keys(change).length > 0) {
    const last = written.at(-1);
    await note([...(last ? [last] : []), words]);
    await pulls.update(request.number, change);
  }
  const { number, url, state } = request;
  return { number, url, state };
}

/** Closes a request, unless somebody was faster. */
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

/** What keeps us from the requests is for somebody to mend, unless it passes by itself. */
export function requestTrouble(error: RepoError): Error {
  if (error.retryable) return error;
  return new SyncBlocked(
    "pull_requests_denied",
    `${error.message} The branch of the proposal is up to date.`,
  );
}
