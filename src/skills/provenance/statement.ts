/** The statement about a version: its content and commit, and who or what has published it. */
import { publicName } from "../../../contract/names/public-name.ts";
import {
  buildTypePath,
  publishedPredicatePath,
  slsaPredicate,
  statementType,
  type CiPredicate,
  type PublishedPredicate,
  type PublisherKind,
  type Statement,
  type Subject,
} from "../../../contract/provenance/statement.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";

/** Facts about the skill, as they are at the time of the signature. */
export interface SubjectSkill {
  publicId: string;
  slug: string;
  tenantSlug: string;
}

/** Equal input makes equal bytes. `service`: its address. Contains public names only, and no address of a person. */
export function statementOf(
  service: string,
  skill: SubjectSkill,
  version: VersionDoc,
  signedAt: Date,
): Statement {
  const base = { _type: statementType, subject: subjectsOf(skill, version) };
  const ci = ciPredicate(service, skill, version, signedAt);
  if (ci) return { ...base, predicateType: slsaPredicate, predicate: ci };
  const predicate: PublishedPredicate = {
    service,
    publisher: publisherOf(version),
    importedCommit: version.importedCommit,
    publishedAt: version.createdAt.toISOString(),
    signedAt: signedAt.toISOString(),
  };
  return { ...base, predicateType: service + publishedPredicatePath, predicate };
}

/** The canonical content, the form of a text that clients have, and the Git commit. */
function subjectsOf({ publicId, slug, tenantSlug }: SubjectSkill, version: VersionDoc): Subject[] {
  const name = `${tenantSlug}/${slug}@${version.semver}`;
  const annotations = { publicId, version: version.version };
  const digests = [...new Set([version.digest, version.hash])];
  return [
    ...digests.map((sha256) => ({ name, digest: { sha256 }, annotations })),
    { name, digest: { gitCommit: version.oid }, annotations },
  ];
}

function ciPredicate(
  service: string,
  { slug, tenantSlug }: SubjectSkill,
  { run, trust, semver, createdAt }: VersionDoc,
  signedAt: Date,
): CiPredicate | undefined {
  // Versions of earlier releases of the service don't have the trust.
  if (!run || !trust) return undefined;
  const { commit, ref, workflow, runUrl } = run;
  const repository = `${trust.server}/${run.repository}`;
  return {
    buildDefinition: {
      buildType: service + buildTypePath,
      externalParameters: {
        skill: `${tenantSlug}/${slug}`,
        version: semver,
        source: { repository, ref, workflow },
      },
      internalParameters: { issuer: trust.issuer, policy: trust.policyId },
      resolvedDependencies:
        commit === undefined ? [] : [{ uri: `git+${repository}@${ref}`, digest: { gitCommit: commit } }],
    },
    runDetails: {
      builder: { id: service },
      metadata: {
        invocationId: runUrl,
        startedOn: createdAt.toISOString(),
        finishedOn: signedAt.toISOString(),
      },
    },
  };
}

function publisherOf({ author, source, byToken }: VersionDoc): PublishedPredicate["publisher"] {
  if (!author) return { kind: "anonymous" };
  const kind: PublisherKind =
    source === "import" ? "import" : byToken ? "token" : source === "mcp" ? "agent" : "person";
  const name = publicName(author.name) || author.username;
  return { kind, name };
}
