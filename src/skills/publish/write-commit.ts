/** Writes the first commit of a version, and reads its findings: those of a text while its files are written. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { CommitDraft, RepoId, WrittenCommit } from "../../../repos/store/index.ts";
import type { VersionDoc } from "../../../storage/versions.ts";
import type { App } from "../../app.ts";
import type { Kind } from "../findings/lint.ts";
import { lintCommit, lintText } from "../findings/version-findings.ts";
import type { StoredTree } from "./text-source.ts";

export async function writeCommit(
  app: App,
  repo: RepoId,
  draft: CommitDraft,
  { source, text }: StoredTree,
  kind: Kind,
): Promise<{ written: WrittenCommit; findings: VersionDoc["findings"] }> {
  const writing = app.repos.writeCommit(repo, { ...draft, source });
  if (source.kind === "files" && text) {
    // In the next turn, the writes are under way.
    const linting = nextTurn().then(() => lintText(app, repo, source, text, kind));
    const [written, findings] = await Promise.all([writing, linting]);
    return { written, findings };
  }
  const written = await writing;
  return { written, findings: await lintCommit(app, repo, written, source, kind) };
}
