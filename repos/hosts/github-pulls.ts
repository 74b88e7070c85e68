/** Pull requests at GitHub, within one repository: from a branch of ours to the one that people protect. */
import { keepSuccess } from "../../contract/concurrency/keep-success.ts";
import { RepoError } from "../errors.ts";
import { askGitHub, statusOf, type GitHubClient } from "./github-client.ts";
import type { PullRequest, PullRequests } from "./host.ts";

/** An App's tokens are asked for with it; a fine-grained token has to be made with it. */
const permission = 'the permission "Pull requests: read and write"';
const perPage = 30;

/** The repository of the pull requests, for one job. */
export interface PullRequestTarget {
  client: GitHubClient;
  owner: string;
  repo: string;
}

/** `open` is called once for each job. Throws `auth_failed` naming the permission where that is what lacks. */
export function gitHubPulls(open: () => Promise<PullRequestTarget>): PullRequests {
  const place = keepSuccess(open);

  async function ask<T extends object>(
    what: string,
    call: (at: PullRequestTarget) => Promise<{ data: T; headers: object }>,
  ): Promise<T> {
    const at = await place();
    let status: number | undefined;
    const watched = async () => {
      try {
        return await call(at);
      } catch (error) {
        status = statusOf(error);
        throw error;
      }
    };
    try {
      return (await askGitHub(what, watched)).data;
    } catch (error) {
      const isLack = error instanceof RepoError && error.code === "auth_failed" && status === 403;
      throw isLack ? lacksPulls(what, error) : error;
    }
  }

  async function find({ from, to }: { from: string; to: string }): Promise<PullRequest | undefined> {
    const listed = await ask("Looking for the pull request", ({ client, owner, repo }) =>
      client.rest.pulls.list({
        owner,
        repo,
        head: `${owner}:${from}`,
        base: to,
        state: "all",
        sort: "created",
        direction: "desc",
        per_page: perPage,
      }),
    );
    if (!Array.isArray(listed)) throw new RepoError("remote_protocol", "GitHub's response is not a list.");
    // A host that does not support the filter ignores it.
    const ours = listed.filter((one) => one.head?.ref === from && one.base?.ref === to).map(presentPull);
    return ours.find(({ state }) => state === "open") ?? ours[0];
  }

  return {
    find,
    async open({ from, to, title, body }) {
      try {
        const made = await ask("Opening the pull request", ({ client, owner, repo }) =>
          client.rest.pulls.create({ owner, repo, head: from, base: to, title, body }),
        );
        return presentPull(made);
      } catch (error) {
        // Another user may already have opened one.
        const isRefused = error instanceof RepoError && error.code === "remote_protocol";
        const there = isRefused ? await find({ from, to }) : undefined;
        if (there?.state === "open") return there;
        throw error;
      }
    },
    async update(number, words) {
      await ask("Updating the pull request", ({ client, owner, repo }) =>
        client.rest.pulls.update({ owner, repo, pull_number: number, ...words }),
      );
    },
    async close(number) {
      await ask("Closing the pull request", ({ client, owner, repo }) =>
        client.rest.pulls.update({ owner, repo, pull_number: number, state: "closed" }),
      );
    },
  };
}

export function lacksPulls(what: string, cause?: RepoError): RepoError {
  return new RepoError("auth_failed", `${what}: the credentials lack ${permission} at GitHub.`, { cause });
}

interface PullFacts {
  number: number;
  html_url: string;
  state: string;
  merged_at?: string | null;
  title: string;
  body?: string | null;
  head: { sha: string };
}

function presentPull({
  number,
  html_url: url,
  state,
  merged_at: mergedAt,
  title,
  body,
  head,
}: PullFacts): PullRequest {
  const isWhole = Number.isSafeInteger(number) && typeof url === "string" && /^https?:\/\//.test(url);
  if (!isWhole || typeof title !== "string" || typeof head?.sha !== "string")
    throw new RepoError("remote_protocol", "GitHub's response is not a pull request.");
  return {
    number,
    url,
    state: state === "open" ? "open" : mergedAt ? "merged" : "closed",
    title,
    // The web's forms send line ends of their own.
    body: (body ?? "").replaceAll("\r\n", "\n"),
    commit: head.sha,
  };
}
