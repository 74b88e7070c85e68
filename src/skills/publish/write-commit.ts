/** Writes the first commit of a version, and reads its findings: those of a text while its files are written. */
import { measured } from "../../../contract/observation.ts";
import type { CommitDraft, RepoId, WrittenCommit } from "../../../repos/store/index.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import type { SkillKind } from "../../compute/pieces/plan-lint.ts";
import { lintCommit, lintText } from "../findings/version-findings.ts";
import type { StoredTree } from "./content/text-source.ts";

type Written = { written: WrittenCommit; findings: VersionDoc["findings"] };

export function writeCommit(...given: Parameters<typeof writeAndRead>): Promise<Written> {
  return measured("publish", { stage: "write" }, () => writeAndRead(...given));
}

async function writeAndRead(
  app: App,
  actor: Actor,
  repo: RepoId,
  draft: CommitDraft,
  { source, text }: StoredTree,
  kind: SkillKind,
): Promise<Written> {
  const writing = app.repos.writeCommit(repo, { ...draft, source });
  if (source.kind === "files" && text) {
    const linting = lintText(app, actor, repo, source, text, kind);
    const [written, findings] = await Promise.all([writing, linting]);
    return { written, findings };
  }
  const written = await writing;
  return { written, findings: await lintCommit(app, actor, repo, written, source, kind) };
}
