/** Pull requests of GitHub, in front of a real repository: the rules for opening one, and how one ends. */
import { runGit } from "./git-host.ts";
import type { StubAnswer, StubRepository } from "./github-stub.ts";

export interface StubPull {
  number: number;
  title: string;
  body: string;
  head: string;
  base: string;
  state: "open" | "closed";
  mergedAt: string | null;
  /** Tip of the branch while the request is open, and its tip at the end. */
  sha: string;
}

const git = ({ repo }: StubRepository, ...args: string[]) => runGit(repo.directory, ...args);
const tipOf = (repository: StubRepository, branch: string) =>
  git(repository, "for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`) || undefined;

function descends(repository: StubRepository, commit: string, from: string): boolean {
  try {
    git(repository, "merge-base", "--is-ancestor", from, commit);
    return true;
  } catch {
    return false;
  }
}

/** Follows the branches, as GitHub does after each push. */
function refresh(repository: StubRepository): void {
  for (const pull of repository.pulls.filter(({ state }) => state === "open")) {
    const tip = tipOf(repository, pull.head);
    if (tip === undefined) pull.state = "closed";
    else pull.sha = tip;
    const base = tipOf(repository, pull.base);
    if (base !== undefined && descends(repository, base, pull.sha))
      Object.assign(pull, { state: "closed", mergedAt: new Date().toISOString() });
  }
}

const ok = (data: unknown, status = 200): StubAnswer => ({ status, body: JSON.stringify(data) });
const unprocessable = (message: string): StubAnswer => ({
  status: 422,
  body: JSON.stringify({ message: "Validation Failed", errors: [{ message }] }),
});

/** Handles requests below `/pulls`. */
export function answerPulls(
  repository: StubRepository,
  method: string,
  rest: string,
  query: URLSearchParams,
  body: Record<string, unknown>,
): StubAnswer {
  refresh(repository);
  const { fullName, pulls } = repository;
  const owner = fullName.split("/")[0]!;
  const present = ({ number, title, body: words, head, base, state, mergedAt, sha }: StubPull) => ({
    number,
    html_url: `https://github.example/${fullName}/pull/${number}`,
    title,
    body: words === "" ? null : words,
    state,
    merged_at: mergedAt,
    head: { ref: head, sha },
    base: { ref: base },
  });
  const number = Number(/^\/pulls\/(\d+)$/.exec(rest)?.[1]);
  if (method === "GET") {
    const state = query.get("state") ?? "open";
    const wanted = pulls.filter(
      (pull) =>
        (state === "all" || pull.state === state) &&
        [null, `${owner}:${pull.head}`].includes(query.get("head")) &&
        [null, pull.base].includes(query.get("base")),
    );
    return ok(wanted.toReversed().map(present));
  }
  if (method === "POST") {
    const {
      title,
      head,
      base,
      body: words = "",
    } = body as Record<"title" | "head" | "base", string> & { body?: string };
    const [sha, onto] = [tipOf(repository, head), tipOf(repository, base)];
    if (sha === undefined || onto === undefined) return unprocessable("head or base is invalid");
    if (pulls.some((pull) => pull.state === "open" && pull.head === head && pull.base === base))
      return unprocessable(`A pull request already exists for ${owner}:${head}.`);
    if (descends(repository, onto, sha)) return unprocessable(`No commits between ${base} and ${head}`);
    const made = { number: 1 + pulls.length, title, body: words, head, base, sha };
    const pull: StubPull = { ...made, state: "open", mergedAt: null };
    pulls.push(pull);
    return ok(present(pull), 201);
  }
  const pull = pulls.find((one) => one.number === number);
  if (!pull) return { status: 404, body: '{"message":"Not Found"}' };
  const { title = pull.title, body: words = pull.body, state = pull.state } = body as Partial<StubPull>;
  Object.assign(pull, { title, body: words, state });
  return ok(present(pull));
}

/** Merges as a person does with the button. The branch remains, unless it is deleted. */
export function mergePull(
  repository: StubRepository,
  pull: StubPull,
  how: "merge" | "squash" | "rebase" = "merge",
): void {
  refresh(repository);
  const { copy } = repository.repo;
  const at = (...args: string[]) => runGit(copy, ...args);
  at("fetch", "-q", "--prune", "origin");
  at("checkout", "-q", "-B", "merging", `origin/${pull.base}`);
  const from = `origin/${pull.head}`;
  if (how === "merge") at("merge", "-q", "--no-ff", "--no-edit", from);
  else if (how === "squash") {
    at("merge", "-q", "--squash", from);
    at("commit", "-q", "-m", pull.title);
  } else {
    at("checkout", "-q", "-B", "merging", from);
    at("rebase", "-q", `origin/${pull.base}`);
  }
  at("push", "-q", "origin", `HEAD:refs/heads/${pull.base}`);
  at("checkout", "-q", "-B", "main", "origin/main");
  Object.assign(pull, { state: "closed", mergedAt: new Date().toISOString() });
}
